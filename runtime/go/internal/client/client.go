// Package client calls the API and converts its responses into the output of this tool.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/rest"
	"aos.invalid/tool/internal/runtime/strictjson"
)

// Limits of the API.
const (
	MaxPage   = 100 // items in one page
	ChunkSize = 50  // items in one bulk request
)

// Client calls the API.
type Client struct {
	*rest.Client
}

// New makes a client; it does not connect.
func New(connection rest.Connection) *Client {
	return &Client{rest.New(connection, rest.Conventions{Codes: map[string]string{
		"rate_limited":     fault.RateLimited,
		"version_mismatch": fault.Conflict,
		"key_reused":       fault.Conflict,
		"invalid_cursor":   fault.Validation,
	}})}
}

// Account returns the account of the credential. Confirm tokens are bound to its id and permissions.
func (c *Client) Account(ctx context.Context) (rest.Account, error) {
	var wire struct {
		ID          rest.ID  `json:"id"`
		Permissions []string `json:"permissions"`
	}
	err := c.Do(ctx, rest.Request{Method: http.MethodGet, Path: []string{"v1", "account"}}, &wire)
	if err == nil && !rest.IsID(string(wire.ID)) {
		err = c.Unusable("an account has no id")
	}
	return rest.Account{ID: string(wire.ID), Permissions: wire.Permissions}, err
}

// Item is one item as this tool shows it.
type Item struct {
	ID        string   `json:"id"`
	Project   string   `json:"project"`
	Title     string   `json:"title"`
	State     string   `json:"state"`
	Labels    []string `json:"labels"`
	Version   string   `json:"version"`
	CreatedAt string   `json:"created_at"`
	UpdatedAt string   `json:"updated_at"`
	// Untrusted names the members that other people write.
	Untrusted []string `json:"_untrusted"`
}

// wireItem is an item as the API sends it: ids are numbers, times have offsets.
type wireItem struct {
	ID        json.Number `json:"id"`
	Project   string      `json:"project"`
	Title     string      `json:"title"`
	State     string      `json:"state"`
	Labels    []string    `json:"labels"`
	Version   string      `json:"version"`
	CreatedAt time.Time   `json:"created_at"`
	UpdatedAt time.Time   `json:"updated_at"`
}

// item converts an item, and refuses one that cannot be shown or sent back.
func (w wireItem) item() (Item, error) {
	switch {
	case CheckID(w.ID.String()) != nil:
		return Item{}, errors.New("an item has no id")
	case !rest.IsHeaderValue(w.Version):
		return Item{}, errors.New("an item has no version that can be sent back")
	case !rest.IsName(w.Project) || !rest.IsName(w.State):
		return Item{}, errors.New("an item has no project or no state with a usable name")
	case w.CreatedAt.IsZero() || w.UpdatedAt.IsZero():
		return Item{}, errors.New("an item does not say when it was made and changed")
	}
	if w.Labels == nil {
		w.Labels = []string{}
	}
	return Item{
		ID: w.ID.String(), Project: w.Project, Title: w.Title, State: w.State, Labels: w.Labels, Version: w.Version,
		CreatedAt: rest.UTC(w.CreatedAt), UpdatedAt: rest.UTC(w.UpdatedAt), Untrusted: []string{"title", "labels"},
	}, nil
}

func itemID(item Item) string {
	return item.ID
}

// CheckID refuses a text that cannot be the id of an item, before anything is sent.
func CheckID(id string) error {
	if number, err := strconv.ParseUint(id, 10, 63); err != nil || number == 0 || strconv.FormatUint(number, 10) != id {
		return fault.New(fault.Validation, "`%s` is not the id of an item", fault.Brief(id)).
			WithFix("Use an id that `item list` shows")
	}
	return nil
}

// ListQuery selects items; the API applies the filter.
type ListQuery struct {
	Project string
	State   string
	Text    string
	rest.Asked
}

// ListItems returns one page.
func (c *Client) ListItems(ctx context.Context, query ListQuery) (rest.Page[Item], error) {
	values := url.Values{"limit": {strconv.Itoa(query.Limit)}}
	for name, value := range map[string]string{
		"project": query.Project, "state": query.State, "q": query.Text, "cursor": query.Cursor,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	var document struct {
		Items      []wireItem `json:"items"`
		NextCursor string     `json:"next_cursor"`
	}
	request := rest.Request{Method: http.MethodGet, Path: []string{"v1", "items"}, Query: values}
	if err := c.Do(ctx, request, &document); err != nil {
		return rest.Page[Item]{}, err
	}
	items, err := rest.Convert(document.Items, wireItem.item)
	if err != nil {
		return rest.Page[Item]{}, c.Unusable("%v", err)
	}
	page, err := rest.NewPage(items, itemID, document.NextCursor, query.Asked)
	if err != nil {
		return rest.Page[Item]{}, c.Unusable("%v", err)
	}
	return page, nil
}

// Item returns one item.
func (c *Client) Item(ctx context.Context, id string) (Item, error) {
	return c.item(ctx, id, rest.Request{Method: http.MethodGet, Path: []string{"v1", "items", id}})
}

// Content is the large part of an item, which lists do not contain.
type Content struct {
	ID        string   `json:"id"`
	MediaType string   `json:"media_type"`
	Size      int      `json:"size"`
	Content   string   `json:"content"`
	Untrusted []string `json:"_untrusted"`
}

// Content returns the large part of an item.
func (c *Client) Content(ctx context.Context, id string) (Content, error) {
	content, kind, err := c.Bytes(ctx, rest.Request{
		Method: http.MethodGet, Path: []string{"v1", "items", id, "content"}, Accept: "*/*",
	})
	return Content{
		ID: id, MediaType: kind, Size: len(content), Content: string(content), Untrusted: []string{"content"},
	}, err
}

// Draft has the members of a new item.
type Draft struct {
	Project string   `json:"project"`
	Title   string   `json:"title"`
	Labels  []string `json:"labels"`
	Content string   `json:"content"`
}

// CreateItem creates an item. The same key never creates two items.
func (c *Client) CreateItem(ctx context.Context, draft Draft, key string) (Item, error) {
	return c.item(ctx, "", rest.Request{
		Method: http.MethodPost, Path: []string{"v1", "items"}, Header: map[string]string{"Idempotency-Key": key}, Body: draft,
	})
}

// Changes are the members of an item that an update sets; nil leaves a member unchanged.
type Changes struct {
	Title  *string   `json:"title,omitempty"`
	State  *string   `json:"state,omitempty"`
	Labels *[]string `json:"labels,omitempty"`
}

// UpdateItem changes an item that still has the given version.
func (c *Client) UpdateItem(ctx context.Context, id, version string, changes Changes) (Item, error) {
	return c.item(ctx, id, rest.Request{
		Method: http.MethodPatch, Path: []string{"v1", "items", id}, Header: map[string]string{"If-Match": version}, Body: changes,
	})
}

// DeleteItem deletes an item that still has the given version.
func (c *Client) DeleteItem(ctx context.Context, id, version string) error {
	return c.Do(ctx, rest.Request{
		Method: http.MethodDelete, Path: []string{"v1", "items", id}, Header: map[string]string{"If-Match": version},
	}, nil)
}

// CloseItems closes at most ChunkSize items in one request.
func (c *Client) CloseItems(ctx context.Context, ids []string) ([]rest.Outcome, error) {
	var document struct {
		Results []struct {
			ID     json.Number `json:"id"`
			Status int         `json:"status"`
		} `json:"results"`
	}
	err := c.Do(ctx, rest.Request{
		Method: http.MethodPost, Path: []string{"v1", "items", "bulk-close"}, Body: map[string]any{"ids": ids},
	}, &document)
	if err != nil {
		return nil, err
	}
	status := map[string]int{}
	for _, result := range document.Results {
		status[result.ID.String()] = result.Status
	}
	outcomes := make([]rest.Outcome, len(ids))
	for index, id := range ids {
		outcomes[index] = rest.Outcome{Target: id}
		answered, found := status[id]
		switch {
		case !found:
			outcomes[index].Failed = c.Unusable("a bulk answer leaves out an item")
		case answered < 200 || answered > 299:
			outcomes[index].Failed = c.StatusFault(answered)
		}
	}
	return outcomes, nil
}

// item sends a request whose response is an item, and checks that it is the requested one; a new item has no id yet.
func (c *Client) item(ctx context.Context, id string, request rest.Request) (Item, error) {
	var wire wireItem
	if err := c.Do(ctx, request, &wire); err != nil {
		return Item{}, err
	}
	item, err := wire.item()
	if err != nil {
		return Item{}, c.Unusable("%v", err)
	}
	if id != "" && item.ID != id {
		return Item{}, c.Unusable("it is about another item")
	}
	return item, nil
}

// Summary counts the items of one project.
type Summary struct {
	Project string `json:"project"`
	Open    int    `json:"open"`
	Closed  int    `json:"closed"`
}

// Summary counts the items of one project.
func (c *Client) Summary(ctx context.Context, project string) (Summary, error) {
	var wire struct {
		Project string `json:"project"`
		Open    *int   `json:"open"`
		Closed  *int   `json:"closed"`
	}
	request := rest.Request{Method: http.MethodGet, Path: []string{"v1", "projects", project, "summary"}}
	err := c.Do(ctx, request, &wire)
	switch {
	case err != nil:
		return Summary{}, err
	case wire.Project != project:
		return Summary{}, c.Unusable("it is about another project")
	case wire.Open == nil || wire.Closed == nil || *wire.Open < 0 || *wire.Closed < 0:
		return Summary{}, c.Unusable("a summary lacks its counts")
	}
	return Summary{Project: project, Open: *wire.Open, Closed: *wire.Closed}, nil
}

// Event is one change of an item.
type Event struct {
	Sequence  int64    `json:"sequence"`
	Kind      string   `json:"kind"`
	ItemID    string   `json:"item_id"`
	Title     string   `json:"title"`
	At        string   `json:"at"`
	Untrusted []string `json:"_untrusted"`
}

// Events passes each event after a sequence number to yield, until the stream or the context ends or yield returns false.
func (c *Client) Events(ctx context.Context, after int64, yield func(Event) (bool, error)) error {
	request := rest.Request{
		Method: http.MethodGet, Path: []string{"v1", "events"}, Accept: "application/x-ndjson",
		Query: url.Values{"after": {strconv.FormatInt(after, 10)}},
	}
	return c.Lines(ctx, request, func(line []byte) (bool, error) {
		event, err := parseEvent(line)
		if err != nil {
			return false, c.Unusable("%v", err)
		}
		// The caller continues after the last number, so a stream that goes back would never end.
		if event.Sequence <= after {
			return false, c.Unusable("the events of its stream are not in order")
		}
		after = event.Sequence
		return yield(event)
	})
}

func parseEvent(line []byte) (Event, error) {
	var wire struct {
		Sequence int64       `json:"sequence"`
		Kind     string      `json:"kind"`
		ItemID   json.Number `json:"item_id"`
		Title    string      `json:"title"`
		At       time.Time   `json:"at"`
	}
	if err := strictjson.Unmarshal(line, strictjson.Exact, &wire); err != nil {
		return Event{}, errors.New("a line of the stream is not the expected JSON")
	}
	if CheckID(wire.ItemID.String()) != nil || wire.At.IsZero() || !rest.IsName(wire.Kind) {
		return Event{}, errors.New("an event does not say which item changed, and when")
	}
	return Event{
		Sequence: wire.Sequence, Kind: wire.Kind, ItemID: wire.ItemID.String(), Title: wire.Title,
		At: rest.UTC(wire.At), Untrusted: []string{"title"},
	}, nil
}
