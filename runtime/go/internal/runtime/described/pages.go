package described

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"aos.invalid/tool/internal/runtime/cli"
	"aos.invalid/tool/internal/runtime/output"
	"aos.invalid/tool/internal/runtime/rest"
)

const (
	maxCursor = 20_000
	usualPage = 20
)

var nextForm = regexp.MustCompile(`(?i)<([^>]*)>\s*(?:;[^,<]*?)?;\s*rel="?next"?(?:\s*[;,]|\s*$)`)

// place is the start of a page: a cursor of the API, a number, or a link.
type place struct {
	At   any    `json:"at,omitempty"`
	Link string `json:"link,omitempty"`
	Seen int    `json:"seen"`
}

// pageParams are the flags that lead through the pages of a list.
func pageParams(list *List) []cli.Param {
	if list.Style == "none" {
		return nil
	}
	params := []cli.Param{}
	if list.Limit != "" {
		most := list.MaxLimit
		if most == 0 {
			most = 100
		}
		params = append(params, cli.Param{
			Name: "limit", Kind: cli.Number, Min: 1, Max: most, Default: strconv.Itoa(min(usualPage, most)), Help: "Maximum number of entries in one page",
		})
	}
	return append(params, cli.Param{Name: "cursor", Kind: cli.Text, Help: "next_cursor of the previous page"})
}

// page reads one page.
func page(call *cli.Call, client Caller, operation *Operation, passed []given) (any, error) {
	list := operation.List
	from, err := readCursor(call.Text("cursor"))
	if err != nil {
		return nil, err
	}
	more := []given{}
	if list.Limit != "" && list.Style != "none" {
		more = append(more, given{&Input{Name: list.Limit, Place: "body"}, json.Number(call.Text("limit"))})
	}
	if from.At != nil {
		more = append(more, given{&Input{Name: list.Position, Place: "body"}, from.At})
	}
	query := []pair{}
	if list.Place != "body" {
		for _, each := range more {
			query = append(query, pair{each.Name, encoded(each.value)})
		}
		more = nil
	}
	wanted, err := request(operation, slices.Concat(passed, more), query)
	if err != nil {
		return nil, err
	}
	if from.Link != "" {
		wanted.Target, wanted.Whole = from.Link, true
	}
	document, link, err := client.Reply(call.Context, wanted)
	if err != nil {
		return nil, err
	}
	entries := []any{}
	if found := dig(document, list.Items); found != nil {
		listed, isList := found.([]any)
		if !isList {
			return nil, client.Unusable("a page does not have the expected form")
		}
		entries = listed
	}
	following, err := follow(client, list, document, link, from, len(entries))
	if err != nil {
		return nil, err
	}
	items := make([]any, len(entries))
	for index, entry := range entries {
		items[index] = single(operation, entry)
	}
	answer := rest.Page[any]{Items: items, Count: len(items), HasMore: following != nil}
	if following != nil {
		text := writeCursor(following)
		if len(text) > maxCursor {
			return nil, client.Unusable("a cursor is too long")
		}
		answer.NextCursor = &text
	}
	return answer, nil
}

// follow says where the next page begins; nil at the end.
func follow(client Caller, list *List, document any, header string, from place, count int) (*place, error) {
	next := &place{Seen: from.Seen + count}
	linked := func(link string) (*place, error) {
		target, err := client.Below(link)
		next.Link = target
		return next, err
	}
	if list.Style == "none" {
		return nil, nil
	}
	if found := nextForm.FindStringSubmatch(header); found != nil {
		return linked(found[1])
	}
	var named any
	if list.Next != "" {
		named = dig(document, list.Next)
	}
	text, _ := named.(string)
	switch list.Style {
	case "link":
		if text == "" {
			return nil, nil
		}
		return linked(text)
	case "cursor":
		number, isNumber := named.(json.Number)
		if list.More != "" && dig(document, list.More) == false || text == "" && (!isNumber || number == "0") {
			return nil, nil
		}
		if wireText(named) == wireText(from.At) {
			return nil, client.Unusable("a page refers to itself as the next page")
		}
		next.At = named
		return next, nil
	}
	if from.Link != "" {
		return nil, nil
	}
	return counted(list, document, from, next, count), nil
}

// counted is the next page of a list that is paged by numbers. A short page may be one that the API cut: without a total
// only an empty one is the end.
func counted(list *List, document any, from place, next *place, count int) *place {
	ends := false
	total, _ := dig(document, list.Total).(json.Number)
	more, says := dig(document, list.More).(bool)
	if most, err := total.Int64(); list.Total != "" && err == nil && most > 0 {
		ends = int64(next.Seen) >= most
	}
	if list.More != "" && says {
		ends = !more
	}
	if ends || count == 0 {
		return nil
	}
	at, step := 0, count
	if list.Style == "page" {
		at, step = 1, 1
	}
	if number, isNumber := from.At.(json.Number); isNumber {
		at, _ = strconv.Atoi(number.String())
	}
	next.At = at + step
	return next
}

func dig(document any, path string) any {
	if path == "" {
		return document
	}
	for key := range strings.SplitSeq(path, ".") {
		if list, isList := document.([]any); isList && key == "-1" && len(list) > 0 {
			document = list[len(list)-1]
			continue
		}
		object, isObject := document.(output.Object)
		if !isObject {
			return nil
		}
		document, _ = object.Get(key)
	}
	return document
}

func writeCursor(from *place) string {
	return base64.RawURLEncoding.EncodeToString([]byte(jsonText(from)))
}

func readCursor(cursor string) (place, error) {
	var from place
	if cursor == "" {
		return from, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return from, refused("cursor", "Use next_cursor of the previous page unchanged")
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&from); err != nil || from.Link != "" && !strings.HasPrefix(from.Link, "/") {
		return from, refused("cursor", "Use next_cursor of the previous page unchanged")
	}
	_, isText := from.At.(string)
	_, isNumber := from.At.(json.Number)
	if from.At != nil && !isText && !isNumber {
		return from, refused("cursor", "Use next_cursor of the previous page unchanged")
	}
	return from, nil
}
