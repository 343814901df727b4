package mockkit

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/credentials"
	"aos.invalid/tool/internal/runtime/self"
)

// Main serves an API on this machine, to try the tool out, and prints the variables that point the tool at it. It returns
// the exit code of the program.
func Main(api http.Handler, token string) int {
	address := flag.String("listen", "127.0.0.1:8787", "address on this machine")
	flag.Parse()
	if err := serve(*address, api, token); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	return 0
}

func serve(address string, api http.Handler, token string) error {
	var configuration net.ListenConfig
	listener, err := configuration.Listen(context.Background(), "tcp", address)
	if err != nil {
		return err
	}
	if host, _, err := net.SplitHostPort(listener.Addr().String()); err != nil || !config.IsLoopback(host) {
		return fmt.Errorf("`%s` is not on this machine alone", address)
	}
	fmt.Printf("export %s=http://%s\n", self.Env(config.EnvBaseURL), listener.Addr())
	if open, known := api.(interface{ Anonymous() bool }); !known || !open.Anonymous() {
		keys := credentials.Keys(token)
		for _, name := range slices.Sorted(maps.Keys(keys)) {
			fmt.Printf("export %s=%s\n", self.Env(name), keys[name])
		}
	}
	server := &http.Server{Handler: api, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}
