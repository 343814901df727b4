package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/output"
	"aos.invalid/tool/internal/runtime/self"
)

// Flags of all commands, and of all queries.
var (
	formatParam  = Param{Name: "format", Kind: Text, Values: []string{"json", "text", "raw"}, Default: "json", Help: "Output format"}
	jsonParam    = Param{Name: "json", Kind: Flag, Help: "Same as --format json"}
	compactParam = Param{Name: "compact", Kind: Flag, Help: "Print JSON without optional white space"}
	quietParam   = Param{Name: "quiet", Kind: Flag, Help: "Print no progress or hints; errors are still shown"}
	fieldsParam  = Param{Name: "fields", Kind: List, Help: "Print only these fields"}
	globalParams = []Param{formatParam, jsonParam, compactParam, quietParam}
)

// tree builds the command line from the registry. Of a table it has all groups, and the commands of those that the
// arguments name: a call needs no others.
func tree(app *app, arguments []string, done func(*Call, error)) *cobra.Command {
	root := &cobra.Command{
		Use:           about.Tool,
		Short:         about.Description,
		Long:          about.Description + "\n\nAgents: start with `" + about.Tool + " reference`.",
		Version:       self.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          unknown,
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.CompletionOptions.DisableDefaultCmd = true
	// The output of the commands that cobra adds by itself is not a document of the contract.
	root.SetHelpCommand(notThere(root, "no-help"))
	root.AddCommand(notThere(root, cobra.ShellCompNoDescRequestCmd, cobra.ShellCompRequestCmd))
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return fault.New(fault.Usage, "the command line cannot be parsed: %s", fault.Brief(err.Error())).
			WithFix("See `%s reference` for the flags of each command", about.Tool)
	})
	globals := map[string]*value{}
	for _, param := range globalParams {
		globals[param.Name] = bind(root.PersistentFlags(), param)
	}
	groups := map[string]*cobra.Command{"": root}
	group := func(name string) *cobra.Command {
		if groups[name] == nil {
			groups[name] = &cobra.Command{
				Use: name, Short: app.tool.group(name), Args: cobra.ArbitraryArgs, RunE: unknown,
			}
			// A group that only former names are in.
			groups[name].Hidden = groups[name].Short == ""
			root.AddCommand(groups[name])
		}
		return groups[name]
	}
	for _, command := range slices.Concat(app.tool.Commands, app.tool.ofTable(app.tool.named(arguments)), app.tool.ofEveryTool()) {
		for index, path := range append([]string{command.Path}, command.Aliases...) {
			parent, name := "", path
			if space := strings.LastIndex(path, " "); space >= 0 {
				parent, name = path[:space], path[space+1:]
			}
			built := leaf(app, command, name, globals, done)
			built.Hidden = index > 0
			group(parent).AddCommand(built)
		}
	}
	// A call of a command that is there sees no other group.
	if len(arguments) == 0 || !hasCommand(root, arguments[0]) {
		for name := range app.tool.tableGroups() {
			group(name)
		}
	}
	return root
}

func hasCommand(root *cobra.Command, name string) bool {
	return slices.ContainsFunc(root.Commands(), func(command *cobra.Command) bool { return command.Name() == name })
}

// named are the groups of the table that arguments name; a value that is called like a group does no harm.
func (t *Tool) named(arguments []string) []string {
	found := []string{}
	for _, argument := range arguments {
		if _, named := t.tableGroups()[argument]; named && !slices.Contains(found, argument) {
			found = append(found, argument)
		}
	}
	return found
}

func leaf(app *app, command *Command, name string, globals map[string]*value, done func(*Call, error)) *cobra.Command {
	values := map[string]*value{}
	call := &Call{app: app, Command: command, values: values}
	built := &cobra.Command{
		Use:     name,
		Short:   command.Summary,
		Long:    strings.TrimSpace(command.Summary + "\n\n" + command.Detail),
		Example: "  " + strings.Join(command.examples(), "\n  "),
		Args:    cobra.ArbitraryArgs,
	}
	built.Flags().SortFlags = false
	for _, param := range command.allParams() {
		values[param.Name] = bind(built.Flags(), param)
	}
	built.RunE = func(running *cobra.Command, arguments []string) error {
		call.Context = running.Context()
		err := call.check(arguments, globals)
		if err == nil {
			err = call.execute()
		}
		done(call, err)
		return err
	}
	return built
}

// allParams are the flags of a command with those that its kind brings.
func (c *Command) allParams() []Param {
	params := slices.Clone(c.Params)
	switch {
	case !c.writes():
		params = append(params, fieldsParam)
	case c.Confirm != Exempt:
		params = append(params, dryRunParam, confirmParam)
		if c.Dangerous {
			params = append(params, dangerousParam)
		}
	}
	return params
}

func (c *Command) examples() []string {
	examples := make([]string, len(c.Examples))
	for index, example := range c.Examples {
		examples[index] = about.Tool + " " + example
	}
	return examples
}

// check refuses a call that cannot be carried out as it stands.
func (c *Call) check(arguments []string, globals map[string]*value) error {
	if len(arguments) > 0 {
		return fault.New(fault.Usage, "`%s` takes no arguments, only flags", c.Command.Path).
			WithFix("Remove the argument, or put its flag before it")
	}
	for _, param := range globalParams {
		if err := globals[param.Name].check(); err != nil {
			return err
		}
	}
	format := globals[formatParam.Name]
	if given := output.Format(format.texts[0]); globals[jsonParam.Name].given && format.given && given != output.JSON {
		c.app.printer.Format = output.JSON
		return fault.New(fault.Usage, "--json and --format %s exclude each other", given).WithFix("Omit one of them")
	}
	if output.Format(format.texts[0]) == output.Raw && !c.Command.Raw {
		// The command has no raw output with which the error could be confused.
		c.app.printer.Format = output.JSON
		return fault.New(fault.Usage, "`%s` has no format raw", c.Command.Path).WithFix("Use --format json or text")
	}
	for _, param := range c.Command.allParams() {
		if err := c.values[param.Name].check(); err != nil {
			return err
		}
	}
	return nil
}

// execute runs a command that was checked.
func (c *Call) execute() error {
	if err := c.app.load(); err != nil {
		return err
	}
	printer := c.app.printer
	printer.Notices = c.app.notices()
	printer.KnownFields = c.app.tool.knownFields(c.Command)
	printer.Fields = c.List(fieldsParam.Name)
	if err := checkFields(printer.Fields, printer.KnownFields); err != nil {
		return err
	}
	if c.Command.Plan != nil {
		answer, err := c.write()
		if err != nil {
			return err
		}
		return printer.Success(answer)
	}
	answer, err := c.Command.Run(c)
	if err != nil {
		return err
	}
	if c.Command.Stream {
		printer.EndStream()
		return nil
	}
	return printer.Success(answer)
}

func checkFields(wanted, known []string) error {
	if len(wanted) == 0 {
		return nil
	}
	_, err := output.Fields(output.Object{}, wanted, known)
	return err
}

// notThere takes the names of a command of cobra and answers as if there were none.
func notThere(root *cobra.Command, name string, others ...string) *cobra.Command {
	return &cobra.Command{
		Use: name, Aliases: others, Hidden: true, DisableFlagParsing: true,
		RunE: func(command *cobra.Command, _ []string) error {
			return unknown(root, []string{command.CalledAs()})
		},
	}
}

// unknown answers a call that names no command.
func unknown(command *cobra.Command, arguments []string) error {
	var names []string
	for _, child := range command.Commands() {
		if !child.Hidden {
			names = append(names, child.Name())
		}
	}
	path := strings.TrimPrefix(command.CommandPath(), about.Tool)
	fix := "Use one of: " + strings.Join(names, ", ")
	failed := fault.New(fault.Usage, "a command is missing after `%s`", command.CommandPath())
	if len(arguments) > 0 {
		failed = fault.New(fault.Usage, "there is no command `%s`", strings.TrimSpace(path+" "+output.Plain(fault.Brief(arguments[0]))))
		if near := nearest(arguments[0], names); near != "" {
			fix = "Did you mean `" + near + "`? " + fix
		}
	}
	return failed.WithFix("%s", fix).With("commands", names)
}

// nearest returns the name that differs least, when it differs little.
func nearest(word string, names []string) string {
	best, least := "", 3
	for _, name := range names {
		if found := distance(word, name); found < least {
			best, least = name, found
		}
	}
	return best
}

func distance(a, b string) int {
	if len(a) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for index := range row {
		row[index] = index
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			row[j+1] = min(cost, above+1, row[j]+1)
			diagonal = above
		}
	}
	return row[len(b)]
}

// scan finds the flags that decide how an answer is printed, for calls that cannot be parsed.
func scan(arguments []string) (format output.Format, compact, quiet bool) {
	format = output.JSON
	for index, argument := range arguments {
		switch {
		case argument == "--":
			return format, compact, quiet
		case argument == "--compact" || argument == "--compact=true":
			compact = true
		case argument == "--quiet" || argument == "--quiet=true":
			quiet = true
		case argument == "--format" && index+1 < len(arguments):
			format = known(arguments[index+1], format)
		case strings.HasPrefix(argument, "--format="):
			format = known(strings.TrimPrefix(argument, "--format="), format)
		}
	}
	return format, compact, quiet
}

func known(text string, otherwise output.Format) output.Format {
	if slices.Contains(formatParam.Values, text) {
		return output.Format(text)
	}
	return otherwise
}
