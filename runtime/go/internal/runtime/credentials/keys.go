package credentials

import (
	"maps"
	"slices"
	"strings"

	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/self"
)

// Keys splits a token into the variables that hold it, without the prefix of the tool. An API that takes several keys at
// once has a token of one line `NAME=KEY` for each key; any other token is the key itself.
func Keys(token string) map[string]string {
	if !strings.Contains(token, "\n") {
		return map[string]string{config.EnvToken: token}
	}
	keys := map[string]string{}
	for line := range strings.SplitSeq(token, "\n") {
		name, key, _ := strings.Cut(line, "=")
		keys[name] = key
	}
	return keys
}

// Variables names the variables of a credential with these keys, for a message.
func Variables(keys []string) string {
	if len(keys) == 0 {
		return self.Env(config.EnvToken)
	}
	names := make([]string, len(keys))
	for index, key := range keys {
		names[index] = self.Env(key)
	}
	return strings.Join(names, " and ")
}

// keysFromEnvironment is the credential of an API that takes several keys.
func (s *Store) keysFromEnvironment() (Credential, error) {
	lines, missing := []string{}, []string{}
	for _, name := range s.keys {
		key := strings.TrimSpace(self.Getenv(name))
		if key == "" {
			missing = append(missing, name)
			continue
		}
		if err := (Credential{Token: name + "=" + key + "\n" + name + "=" + key}).check(); err != nil {
			return Credential{}, fault.New(fault.Config, "%s %v", self.Env(name), err).
				WithFix("Set it to the key exactly as you got it")
		}
		lines = append(lines, name+"="+key)
	}
	switch {
	case len(lines) == 0:
		return Credential{}, nil
	case len(missing) > 0:
		return Credential{}, fault.New(fault.Auth, "the API takes several keys at once, and %s is not set", Variables(missing)).
			WithFix("Set %s", Variables(s.keys))
	}
	return Credential{Token: strings.Join(lines, "\n")}, nil
}

// parseKeys makes a credential of lines `NAME=KEY`; NAME may have the prefix of the tool.
func (s *Store) parseKeys(text string) (Credential, error) {
	keys := map[string]string{}
	for line := range strings.Lines(text) {
		name, key, _ := strings.Cut(strings.TrimSpace(line), "=")
		if name != "" {
			keys[strings.TrimPrefix(strings.TrimSpace(name), self.Env(""))] = strings.TrimSpace(key)
		}
	}
	lines := make([]string, len(s.keys))
	for index, name := range s.keys {
		lines[index] = name + "=" + keys[name]
	}
	credential := Credential{Token: strings.Join(lines, "\n")}
	if err := credential.check(); err != nil || len(keys) != len(s.keys) {
		return Credential{}, fault.New(fault.Validation, "the file does not have the keys that the API takes").
			WithFix("Write one line NAME=KEY for each of %s", Variables(s.keys))
	}
	return credential, nil
}

// hasKeys reports whether a stored credential has the keys that the API needs.
func (s *Store) hasKeys(credential Credential) bool {
	wanted := s.keys
	if len(wanted) == 0 {
		wanted = []string{config.EnvToken}
	}
	return slices.Equal(slices.Sorted(maps.Keys(Keys(credential.Token))), slices.Sorted(slices.Values(wanted)))
}
