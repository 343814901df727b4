package mock

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

func readBody(r *http.Request) (string, error) {
	content, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	r.Body = io.NopCloser(bytes.NewReader(content))
	return string(content), err
}

func decode(w http.ResponseWriter, r *http.Request, into any) (string, bool) {
	text, err := readBody(r)
	if err != nil || json.Unmarshal([]byte(text), into) != nil {
		fail(w, http.StatusBadRequest, "invalid_body", "the body is not the JSON that was expected")
		return "", false
	}
	return text, true
}

func reply(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(document)
}

func fail(w http.ResponseWriter, status int, code, message string) {
	reply(w, status, map[string]any{"error": map[string]string{"code": code, "message": message}})
}
