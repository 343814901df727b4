package commands

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"aos.invalid/tool/internal/client"
	"aos.invalid/tool/internal/runtime/cli"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/rest"
)

var (
	itemID  = cli.Param{Name: "id", Kind: cli.Text, Required: true, Help: "Id of the item", Check: client.CheckID}
	project = cli.Param{Name: "project", Kind: cli.Text, Help: "Project, such as `atlas`", Check: checkProject}
	states  = []string{"open", "closed", "published"}
)

func itemSchemas() []cli.Schema {
	return []cli.Schema{
		{Name: "item", Sample: client.Item{}, Untrusted: []string{"title", "labels"}},
		{Name: "item_page", Sample: rest.Page[client.Item]{}, Items: "item", Untrusted: []string{"items"}},
		{Name: "item_content", Sample: client.Content{}, Untrusted: []string{"content"}},
		{Name: "item_event", Sample: client.Event{}, Untrusted: []string{"title"}},
		{Name: "deleted_item", Sample: deletedItem{}},
		{Name: "item_batch", Sample: cli.BatchResult{}},
	}
}

func itemQueries() []*cli.Command {
	return []*cli.Command{
		{
			Path:    "item list",
			Summary: "List items, oldest first",
			Detail:  "The upstream filters and pages; the order is by id and stable.",
			Params: []cli.Param{
				project,
				{Name: "state", Kind: cli.Text, Values: states, Help: "State of the items"},
				{Name: "query", Kind: cli.Text, Help: "Text in the title"},
				{Name: "limit", Kind: cli.Number, Min: 1, Max: client.MaxPage, Default: "20", Help: "Maximum number of items in one page"},
				{Name: "cursor", Kind: cli.Text, Help: "next_cursor of the previous page"},
			},
			Output: "item_page",
			Examples: []string{
				"item list --project atlas --state open --limit 5",
				"item list --fields id,title --compact",
			},
			Run: listItems,
		},
		{
			Path:     "item get",
			Summary:  "Show one item",
			Params:   []cli.Param{itemID},
			Output:   "item",
			Examples: []string{"item get --id 1"},
			Run: func(call *cli.Call) (any, error) {
				upstream, err := upstream(call)
				if err != nil {
					return nil, err
				}
				return upstream.Item(call.Context, call.Text("id"))
			},
		},
		{
			Path:     "item content",
			Summary:  "Show the content of one item, which lists do not contain",
			Detail:   "With --format raw, the bytes are printed unchanged.",
			Params:   []cli.Param{itemID},
			Output:   "item_content",
			Raw:      true,
			Examples: []string{"item content --id 1", "item content --id 1 --format raw"},
			Run:      showContent,
		},
		{
			Path:    "item watch",
			Summary: "Stream the changes of items as NDJSON",
			Detail: "Each line is one event; the last line has the type summary, and its last_sequence is the --after of " +
				"the next call. The stream ends by itself.",
			Params: []cli.Param{
				{Name: "after", Kind: cli.Number, Min: 0, Max: 1 << 31, Default: "0", Help: "Sequence number of the last known event"},
				{Name: "max-events", Kind: cli.Number, Min: 1, Max: 100_000, Default: "100", Help: "End after this many events"},
				{Name: "duration", Kind: cli.Number, Min: 1, Max: 3600, Default: "10", Help: "End after this many seconds"},
			},
			Output:   "item_event",
			Stream:   true,
			Examples: []string{"item watch --after 0 --max-events 3"},
			Run:      watchItems,
		},
	}
}

func listItems(call *cli.Call) (any, error) {
	upstream, err := upstream(call)
	if err != nil {
		return nil, err
	}
	return upstream.ListItems(call.Context, client.ListQuery{
		Project: call.Text("project"),
		State:   call.Text("state"),
		Text:    call.Text("query"),
		Asked:   rest.Asked{Limit: call.Number("limit"), Cursor: call.Text("cursor")},
	})
}

func showContent(call *cli.Call) (any, error) {
	upstream, err := upstream(call)
	if err != nil {
		return nil, err
	}
	content, err := upstream.Content(call.Context, call.Text("id"))
	if err != nil {
		return nil, err
	}
	if call.Raw() {
		call.Printer().Bytes([]byte(content.Content))
		return nil, nil
	}
	if !utf8.ValidString(content.Content) {
		return nil, fault.New(fault.Validation, "the content of the item is not text").
			WithFix("Add --format raw, which prints the bytes unchanged").With("media_type", content.MediaType)
	}
	return content, nil
}

// watchSummary is the last line of the stream.
type watchSummary struct {
	Count        int   `json:"count"`
	LastSequence int64 `json:"last_sequence"`
	ElapsedMS    int64 `json:"elapsed_ms"`
}

var errDurationOver = errors.New("the duration is over")

func watchItems(call *cli.Call) (any, error) {
	upstream, err := upstream(call)
	if err != nil {
		return nil, err
	}
	started := time.Now()
	duration := time.Duration(call.Number("duration")) * time.Second
	ctx, cancel := context.WithTimeoutCause(call.Context, duration, errDurationOver)
	defer cancel()
	summary := watchSummary{LastSequence: int64(call.Number("after"))}
	limit := call.Number("max-events")
	err = upstream.Events(ctx, summary.LastSequence, func(event client.Event) (bool, error) {
		summary.Count++
		summary.LastSequence = event.Sequence
		return summary.Count < limit, call.Printer().Line("item", event)
	})
	// A stream without events ends when the duration ends.
	if err != nil && !errors.Is(context.Cause(ctx), errDurationOver) {
		return nil, err
	}
	summary.ElapsedMS = time.Since(started).Milliseconds()
	return nil, call.Printer().Line("summary", summary)
}
