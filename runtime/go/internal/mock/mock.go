// Package mock is the API of this tool in memory, for tests and for trials: its routes and its data. Make it respond as
// your API does, so that the tests cover paging, conflicts and refusals without a network.
package mock

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"aos.invalid/tool/internal/runtime/mockkit"
)

// Tokens of the accounts.
const (
	TokenAlice  = "demo-token-alice"
	TokenBob    = "demo-token-bob"
	TokenReader = "demo-token-reader"
)

// RefreshAlice renews the credential of Alice, in a tool whose credential expires.
const RefreshAlice = "demo-refresh-alice"

// SeedItems is the number of items at the start.
const SeedItems = 130

const (
	bulkCap     = 50
	defaultPage = 20
	maxPage     = 100
)

// API is the mock with its data.
type API struct {
	*mockkit.API
	items   []*item
	nextID  int
	events  []event
	changed chan struct{}
	keys    map[string]remembered
}

type item struct {
	ID        int       `json:"id"`
	Project   string    `json:"project"`
	Title     string    `json:"title"`
	State     string    `json:"state"`
	Labels    []string  `json:"labels"`
	Version   string    `json:"version"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	content   string
	revision  int
}

type event struct {
	Sequence int64     `json:"sequence"`
	Kind     string    `json:"kind"`
	ItemID   int       `json:"item_id"`
	Title    string    `json:"title"`
	At       time.Time `json:"at"`
}

// remembered is the result of a request with an idempotency key.
type remembered struct {
	body   string
	itemID int
}

// routes are added to every new API; files that hold a part of it add theirs.
var routes = []func(*API){(*API).itemRoutes}

var start = time.Date(2024, 3, 1, 9, 0, 0, 0, time.FixedZone("", 2*60*60))

// New makes an API with its seed of items.
func New() *API {
	all := []string{"items:read", "items:write", "items:delete"}
	api := &API{
		API: mockkit.New(map[string]mockkit.Account{
			TokenAlice:  {ID: "acc_alice", Name: "Alice", Permissions: all},
			TokenBob:    {ID: "acc_bob", Name: "Bob", Permissions: all},
			TokenReader: {ID: "acc_reader", Name: "Reader", Permissions: all[:1]},
		}),
		nextID:  1,
		changed: make(chan struct{}),
		keys:    map[string]remembered{},
	}
	for number := range SeedItems {
		project := []string{"atlas", "borealis"}[number%2]
		added := api.add(project, fmt.Sprintf("Item %03d of %s", number+1, project), []string{"seed"}, "")
		added.content = fmt.Sprintf("Content of item %d\n", added.ID)
	}
	api.Handle("GET /v1/account", "items:read", func(w http.ResponseWriter, _ *http.Request, who mockkit.Account) {
		mockkit.Reply(w, http.StatusOK, who)
	})
	api.Renewable(RefreshAlice, TokenAlice)
	for _, add := range routes {
		add(api)
	}
	return api
}

func (a *API) itemRoutes() {
	a.Handle("GET /v1/items", "items:read", a.list)
	a.Handle("GET /v1/items/{id}", "items:read", func(w http.ResponseWriter, r *http.Request, _ mockkit.Account) {
		if found := a.named(w, r); found != nil {
			mockkit.Reply(w, http.StatusOK, found)
		}
	})
	a.Handle("GET /v1/items/{id}/content", "items:read", func(w http.ResponseWriter, r *http.Request, _ mockkit.Account) {
		if found := a.named(w, r); found != nil {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = w.Write([]byte(found.content))
		}
	})
	a.Handle("POST /v1/items", "items:write", a.create)
	a.Handle("PATCH /v1/items/{id}", "items:write", a.update)
	a.Handle("DELETE /v1/items/{id}", "items:delete", a.remove)
	a.Handle("POST /v1/items/bulk-close", "items:write", a.bulkClose)
	a.Handle("GET /v1/projects/{project}/summary", "items:read", a.summary)
	a.Stream("GET /v1/events", "items:read", a.stream)
}

// Touch changes an item as another user would.
func (a *API) Touch(id int, title string) {
	a.Do(func() {
		if found := a.find(id); found != nil {
			found.Title = title
			a.revise(found, "updated")
		}
	})
}

// State returns the state of an item; it is empty when there is no such item.
func (a *API) State(id int) (state string) {
	a.Do(func() {
		if found := a.find(id); found != nil {
			state = found.State
		}
	})
	return state
}

func (a *API) list(w http.ResponseWriter, r *http.Request, _ mockkit.Account) {
	query := r.URL.Query()
	limit := defaultPage
	if text := query.Get("limit"); text != "" {
		number, err := strconv.Atoi(text)
		if err != nil || number < 1 || number > maxPage {
			mockkit.Fail(w, http.StatusBadRequest, "invalid_limit", "limit is out of range")
			return
		}
		limit = number
	}
	after, err := decodeCursor(query.Get("cursor"))
	if err != nil {
		mockkit.Fail(w, http.StatusBadRequest, "invalid_cursor", "the cursor does not belong to this list")
		return
	}
	page := []*item{}
	next := ""
	for _, candidate := range a.items {
		if candidate.ID <= after || !matches(candidate, query.Get("project"), query.Get("state"), query.Get("q")) {
			continue
		}
		if len(page) == limit {
			next = encodeCursor(page[limit-1].ID)
			break
		}
		page = append(page, candidate)
	}
	mockkit.Reply(w, http.StatusOK, map[string]any{"items": page, "next_cursor": next})
}

func matches(candidate *item, project, state, text string) bool {
	return (project == "" || candidate.Project == project) && (state == "" || candidate.State == state) &&
		(text == "" || strings.Contains(strings.ToLower(candidate.Title), strings.ToLower(text)))
}

func (a *API) create(w http.ResponseWriter, r *http.Request, who mockkit.Account) {
	var draft struct {
		Project string   `json:"project"`
		Title   string   `json:"title"`
		Labels  []string `json:"labels"`
		Content string   `json:"content"`
	}
	text, ok := mockkit.Decode(w, r, &draft)
	if !ok {
		return
	}
	if draft.Title == "" || draft.Project == "" {
		mockkit.Fail(w, http.StatusUnprocessableEntity, "invalid_item", "project and title are needed")
		return
	}
	key := who.ID + " " + r.Header.Get("Idempotency-Key")
	if earlier, known := a.keys[key]; known && r.Header.Get("Idempotency-Key") != "" {
		if earlier.body != text {
			mockkit.Fail(w, http.StatusConflict, "key_reused", "the key belongs to another request")
			return
		}
		mockkit.Reply(w, http.StatusOK, a.find(earlier.itemID))
		return
	}
	added := a.add(draft.Project, draft.Title, draft.Labels, draft.Content)
	a.keys[key] = remembered{text, added.ID}
	mockkit.Reply(w, http.StatusCreated, added)
}

func (a *API) update(w http.ResponseWriter, r *http.Request, _ mockkit.Account) {
	found := a.unchanged(w, r)
	if found == nil {
		return
	}
	var changes struct {
		Title  *string   `json:"title"`
		State  *string   `json:"state"`
		Labels *[]string `json:"labels"`
	}
	if _, ok := mockkit.Decode(w, r, &changes); !ok {
		return
	}
	if changes.Title != nil {
		found.Title = *changes.Title
	}
	if changes.State != nil {
		found.State = *changes.State
	}
	if changes.Labels != nil {
		found.Labels = *changes.Labels
	}
	a.revise(found, "updated")
	mockkit.Reply(w, http.StatusOK, found)
}

func (a *API) remove(w http.ResponseWriter, r *http.Request, _ mockkit.Account) {
	found := a.unchanged(w, r)
	if found == nil {
		return
	}
	a.revise(found, "deleted")
	a.items = slices.DeleteFunc(a.items, func(other *item) bool { return other == found })
	w.WriteHeader(http.StatusNoContent)
}

func (a *API) bulkClose(w http.ResponseWriter, r *http.Request, _ mockkit.Account) {
	var wanted struct {
		IDs []json.Number `json:"ids"`
	}
	if _, ok := mockkit.Decode(w, r, &wanted); !ok {
		return
	}
	if len(wanted.IDs) > bulkCap {
		mockkit.Fail(w, http.StatusBadRequest, "too_many", "at most 50 items can be closed at once")
		return
	}
	results := []map[string]any{}
	for _, id := range wanted.IDs {
		status := http.StatusOK
		number, _ := strconv.Atoi(id.String())
		found := a.find(number)
		switch {
		case found == nil:
			status = http.StatusNotFound
		case slices.Contains(found.Labels, "locked"):
			status = http.StatusForbidden
		default:
			found.State = "closed"
			a.revise(found, "closed")
		}
		results = append(results, map[string]any{"id": id, "status": status})
	}
	mockkit.Reply(w, http.StatusOK, map[string]any{"results": results})
}

func (a *API) summary(w http.ResponseWriter, r *http.Request, _ mockkit.Account) {
	project := r.PathValue("project")
	if project == "vault" {
		mockkit.Fail(w, http.StatusForbidden, "insufficient_scope", "vault is not for everybody")
		return
	}
	counts := map[string]int{}
	for _, candidate := range a.items {
		if candidate.Project == project {
			counts[candidate.State]++
		}
	}
	if len(counts) == 0 {
		mockkit.Fail(w, http.StatusNotFound, "no_such_project", "there is no such project")
		return
	}
	mockkit.Reply(w, http.StatusOK, map[string]any{"project": project, "open": counts["open"], "closed": counts["closed"]})
}

// stream sends the events after a sequence number, and then each new one, until the client closes the connection.
func (a *API) stream(w http.ResponseWriter, r *http.Request, _ mockkit.Account) {
	after, _ := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.WriteHeader(http.StatusOK)
	encoder := json.NewEncoder(w)
	for {
		var pending []event
		var changed chan struct{}
		a.Do(func() { pending, changed = a.events, a.changed })
		for _, next := range pending {
			if next.Sequence > after {
				after = next.Sequence
				_ = encoder.Encode(next)
			}
		}
		_ = http.NewResponseController(w).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func (a *API) add(project, title string, labels []string, content string) *item {
	if labels == nil {
		labels = []string{}
	}
	added := &item{
		ID: a.nextID, Project: project, Title: title, State: "open", Labels: labels, content: content,
		CreatedAt: start.Add(time.Duration(a.nextID) * time.Minute),
	}
	a.nextID++
	a.items = append(a.items, added)
	a.revise(added, "created")
	return added
}

func (a *API) revise(changed *item, kind string) {
	changed.revision++
	changed.Version = fmt.Sprintf("r%d-%d", changed.ID, changed.revision)
	changed.UpdatedAt = start.Add(time.Duration(len(a.events)+1) * time.Minute)
	a.events = append(a.events, event{int64(len(a.events) + 1), kind, changed.ID, changed.Title, changed.UpdatedAt})
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *API) find(id int) *item {
	for _, candidate := range a.items {
		if candidate.ID == id {
			return candidate
		}
	}
	return nil
}

func (a *API) named(w http.ResponseWriter, r *http.Request) *item {
	id, err := strconv.Atoi(r.PathValue("id"))
	found := a.find(id)
	if err != nil || found == nil {
		mockkit.Fail(w, http.StatusNotFound, "no_such_item", "there is no such item")
		return nil
	}
	return found
}

func (a *API) unchanged(w http.ResponseWriter, r *http.Request) *item {
	found := a.named(w, r)
	if found != nil && r.Header.Get("If-Match") != found.Version {
		mockkit.Fail(w, http.StatusPreconditionFailed, "version_mismatch", "the item has another version by now")
		return nil
	}
	return found
}

func encodeCursor(id int) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "after:%d", id))
}

func decodeCursor(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimPrefix(string(text), "after:"))
}
