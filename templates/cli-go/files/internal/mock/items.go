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
)

// What the example upstream answers: list, read, create, change, delete, close, count and stream. This file goes when
// your API comes; mock.go stays.

func (u *Upstream) list(w http.ResponseWriter, r *http.Request, _ account) {
	query := r.URL.Query()
	limit := defaultPage
	if text := query.Get("limit"); text != "" {
		number, err := strconv.Atoi(text)
		if err != nil || number < 1 || number > maxPage {
			fail(w, http.StatusBadRequest, "invalid_limit", "limit is out of range")
			return
		}
		limit = number
	}
	after, err := decodeCursor(query.Get("cursor"))
	if err != nil {
		fail(w, http.StatusBadRequest, "invalid_cursor", "the cursor is not one of this list")
		return
	}
	page := []*item{}
	next := ""
	for _, candidate := range u.items {
		if candidate.ID <= after || !matches(candidate, query.Get("project"), query.Get("state"), query.Get("q")) {
			continue
		}
		if len(page) == limit {
			next = encodeCursor(page[limit-1].ID)
			break
		}
		page = append(page, candidate)
	}
	reply(w, http.StatusOK, map[string]any{"items": page, "next_cursor": next})
}

func matches(candidate *item, project, state, text string) bool {
	return (project == "" || candidate.Project == project) && (state == "" || candidate.State == state) &&
		(text == "" || strings.Contains(strings.ToLower(candidate.Title), strings.ToLower(text)))
}

func (u *Upstream) create(w http.ResponseWriter, r *http.Request, who account) {
	var draft struct {
		Project string   `json:"project"`
		Title   string   `json:"title"`
		Labels  []string `json:"labels"`
		Content string   `json:"content"`
	}
	text, ok := decode(w, r, &draft)
	if !ok {
		return
	}
	if draft.Title == "" || draft.Project == "" {
		fail(w, http.StatusUnprocessableEntity, "invalid_item", "project and title are needed")
		return
	}
	key := who.ID + " " + r.Header.Get("Idempotency-Key")
	if earlier, known := u.keys[key]; known && r.Header.Get("Idempotency-Key") != "" {
		if earlier.body != text {
			fail(w, http.StatusConflict, "key_reused", "the key belongs to another request")
			return
		}
		reply(w, http.StatusOK, u.find(earlier.itemID))
		return
	}
	added := u.add(draft.Project, draft.Title, draft.Labels, draft.Content)
	u.keys[key] = remembered{text, added.ID}
	reply(w, http.StatusCreated, added)
}

func (u *Upstream) update(w http.ResponseWriter, r *http.Request, _ account) {
	found := u.unchanged(w, r)
	if found == nil {
		return
	}
	var changes struct {
		Title  *string   `json:"title"`
		State  *string   `json:"state"`
		Labels *[]string `json:"labels"`
	}
	if _, ok := decode(w, r, &changes); !ok {
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
	u.revise(found, "updated")
	reply(w, http.StatusOK, found)
}

func (u *Upstream) remove(w http.ResponseWriter, r *http.Request, _ account) {
	found := u.unchanged(w, r)
	if found == nil {
		return
	}
	u.revise(found, "deleted")
	u.items = slices.DeleteFunc(u.items, func(other *item) bool { return other == found })
	w.WriteHeader(http.StatusNoContent)
}

func (u *Upstream) bulkClose(w http.ResponseWriter, r *http.Request, _ account) {
	var wanted struct {
		IDs []json.Number `json:"ids"`
	}
	if _, ok := decode(w, r, &wanted); !ok {
		return
	}
	if len(wanted.IDs) > bulkCap {
		fail(w, http.StatusBadRequest, "too_many", "at most 50 items can be closed at once")
		return
	}
	results := []map[string]any{}
	for _, id := range wanted.IDs {
		status := http.StatusOK
		number, _ := strconv.Atoi(id.String())
		found := u.find(number)
		switch {
		case found == nil:
			status = http.StatusNotFound
		case slices.Contains(found.Labels, "locked"):
			status = http.StatusForbidden
		default:
			found.State = "closed"
			u.revise(found, "closed")
		}
		results = append(results, map[string]any{"id": id, "status": status})
	}
	reply(w, http.StatusOK, map[string]any{"results": results})
}

func (u *Upstream) summary(w http.ResponseWriter, r *http.Request, _ account) {
	project := r.PathValue("project")
	if project == "vault" {
		fail(w, http.StatusForbidden, "insufficient_scope", "vault is not for everybody")
		return
	}
	counts := map[string]int{}
	for _, candidate := range u.items {
		if candidate.Project == project {
			counts[candidate.State]++
		}
	}
	if len(counts) == 0 {
		fail(w, http.StatusNotFound, "no_such_project", "there is no such project")
		return
	}
	reply(w, http.StatusOK, map[string]any{"project": project, "open": counts["open"], "closed": counts["closed"]})
}

// stream sends the events behind a sequence number, and then each new one, until the client goes.
func (u *Upstream) stream(w http.ResponseWriter, r *http.Request) {
	u.mutex.Lock()
	_, ok := u.authorised(w, r, "items:read")
	u.mutex.Unlock()
	if !ok {
		return
	}
	after, _ := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.WriteHeader(http.StatusOK)
	flusher, _ := w.(http.Flusher)
	encoder := json.NewEncoder(w)
	for {
		u.mutex.Lock()
		pending, changed := u.events, u.changed
		u.mutex.Unlock()
		for _, next := range pending {
			if next.Sequence > after {
				after = next.Sequence
				_ = encoder.Encode(next)
			}
		}
		flusher.Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func (u *Upstream) add(project, title string, labels []string, content string) *item {
	if labels == nil {
		labels = []string{}
	}
	added := &item{
		ID: u.nextID, Project: project, Title: title, State: "open", Labels: labels, content: content,
		CreatedAt: start.Add(time.Duration(u.nextID) * time.Minute),
	}
	u.nextID++
	u.items = append(u.items, added)
	u.revise(added, "created")
	return added
}

func (u *Upstream) revise(changed *item, kind string) {
	changed.revision++
	changed.Version = fmt.Sprintf("r%d-%d", changed.ID, changed.revision)
	changed.UpdatedAt = start.Add(time.Duration(len(u.events)+1) * time.Minute)
	u.events = append(u.events, event{int64(len(u.events) + 1), kind, changed.ID, changed.Title, changed.UpdatedAt})
	close(u.changed)
	u.changed = make(chan struct{})
}

func (u *Upstream) find(id int) *item {
	for _, candidate := range u.items {
		if candidate.ID == id {
			return candidate
		}
	}
	return nil
}

func (u *Upstream) named(w http.ResponseWriter, r *http.Request) *item {
	id, err := strconv.Atoi(r.PathValue("id"))
	found := u.find(id)
	if err != nil || found == nil {
		fail(w, http.StatusNotFound, "no_such_item", "there is no such item")
		return nil
	}
	return found
}

func (u *Upstream) unchanged(w http.ResponseWriter, r *http.Request) *item {
	found := u.named(w, r)
	if found != nil && r.Header.Get("If-Match") != found.Version {
		fail(w, http.StatusPreconditionFailed, "version_mismatch", "the item has another version by now")
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
