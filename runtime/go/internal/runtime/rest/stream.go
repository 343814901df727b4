package rest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"

	"aos.invalid/tool/internal/runtime/transport"
)

const maxLine = 1024 * 1024

// Lines sends a request and passes each line of the answer to yield, until the API ends the stream, the context ends or
// yield returns false. The limit of time for one request bounds the wait for each line; a line has at most 1 MiB.
func (c *Client) Lines(ctx context.Context, request Request, yield func(line []byte) (bool, error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(c.connection.Timeout, func() { cancel(context.DeadlineExceeded) })
	defer silence.Stop()
	response, err := c.open(ctx, request)
	if err != nil {
		return c.silent(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		silence.Reset(c.connection.Timeout)
		if len(lines.Bytes()) == 0 {
			continue
		}
		if more, err := yield(lines.Bytes()); err != nil || !more {
			return err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return c.Unusable("a line of the stream is larger than %d bytes", maxLine)
	case err != nil && !errors.Is(err, io.EOF):
		return c.silent(ctx, transport.ErrorFault(c.connection.Base.Host, err))
	}
	return nil
}

// silent distinguishes a stream that timed out from one that a signal ended.
func (c *Client) silent(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return transport.ErrorFault(c.connection.Base.Host, context.DeadlineExceeded)
	}
	return err
}
