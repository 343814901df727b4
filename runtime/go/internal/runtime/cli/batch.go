package cli

import (
	"context"
	"sync"

	"aos.invalid/tool/internal/contract"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/rest"
)

// readers is how many targets of a batch are read at once for its preview.
const readers = 4

// BatchResult is the data of a batch: what succeeded stays done.
type BatchResult struct {
	Items   []BatchItem  `json:"items"`
	Summary BatchSummary `json:"summary"`
	targets int
}

// BatchItem is the outcome for one target.
type BatchItem struct {
	Target string      `json:"target"`
	OK     bool        `json:"ok"`
	Error  *BatchError `json:"error,omitempty"`
}

// BatchError is why one target failed.
type BatchError struct {
	Code      string `json:"code"`
	Retryable bool   `json:"retryable"`
}

// BatchSummary adds up; the contract says which of its members are in total.
type BatchSummary struct {
	Total     int `json:"total"`
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
	Skipped   int `json:"skipped"`
}

// ContinueOnError is the flag that every batch has. It is a text, so that both --continue-on-error=false and
// --continue-on-error false work.
var ContinueOnError = Param{
	Name: "continue-on-error", Kind: Text, Values: []string{"true", "false"}, Default: "true",
	Help: "Continue after a failure; false stops at the first one",
}

// InChunks carries out a bulk request over chunks of the targets. The failure of a chunk is that of its targets. When
// --continue-on-error is false, each target is a chunk of its own, so that nothing happens after the first failure.
func (c *Call) InChunks(ctx context.Context, targets []string, size int, send func(context.Context, []string) ([]rest.Outcome, error)) (*BatchResult, error) {
	goOn := c.Text(ContinueOnError.Name) == "true"
	result := &BatchResult{Items: []BatchItem{}, targets: len(targets)}
	if !goOn {
		size = 1
	}
	for start := 0; start < len(targets); start += size {
		chunk := targets[start:min(start+size, len(targets))]
		if ctx.Err() != nil {
			return nil, result.interrupted()
		}
		outcomes, err := send(ctx, chunk)
		if err != nil {
			if ctx.Err() != nil {
				return nil, result.interrupted()
			}
			outcomes = make([]rest.Outcome, len(chunk))
			for index, target := range chunk {
				outcomes[index] = rest.Outcome{Target: target, Failed: fault.From(err)}
			}
		}
		for _, done := range outcomes {
			result.add(done)
		}
		if !goOn && result.Summary.Failed > 0 {
			break
		}
	}
	result.sum()
	return result, nil
}

func (r *BatchResult) sum() {
	summary := &r.Summary
	summary.Skipped = r.targets - len(r.Items)
	counts := map[string]int{
		"succeeded": summary.Succeeded, "failed": summary.Failed, "skipped": summary.Skipped,
	}
	summary.Total = 0
	for _, name := range contract.BatchTotalOf {
		summary.Total += counts[name]
	}
}

func (r *BatchResult) add(done rest.Outcome) {
	item := BatchItem{Target: done.Target, OK: done.Failed == nil}
	if done.Failed != nil {
		item.Error = &BatchError{Code: done.Failed.Code, Retryable: done.Failed.Retryable()}
		r.Summary.Failed++
	} else {
		r.Summary.Succeeded++
	}
	r.Items = append(r.Items, item)
}

// interrupted says what was done before a signal; the chunk under way may have been carried out.
func (r *BatchResult) interrupted() error {
	r.sum()
	return fault.New(fault.Interrupted, "the batch was interrupted by a signal").
		WithFix("Run it with --dry-run again, to see what remains").
		With("items", r.Items).With("summary", r.Summary)
}

// Changes makes the change of each target for the preview of a batch: change with its id, and what look finds before and
// after, a few targets at a time. The token is bound to all of it. A target that does not exist fails by itself later
// and does not stop the others.
func (c *Call) Changes(change Change, targets []string, look func(id string) (before, after any, err error)) ([]Change, error) {
	changes := make([]Change, len(targets))
	faults := make([]error, len(targets))
	places := make(chan int)
	var working sync.WaitGroup
	for range readers {
		working.Go(func() {
			for place := range places {
				changes[place] = change
				changes[place].ID = targets[place]
				before, after, err := look(targets[place])
				switch {
				case err == nil:
					changes[place].Before, changes[place].After = before, after
				case fault.From(err).Code != fault.NotFound:
					faults[place] = err
				}
			}
		})
	}
	for place := range targets {
		places <- place
	}
	close(places)
	working.Wait()
	for _, err := range faults {
		if err != nil {
			return nil, err
		}
	}
	return changes, nil
}
