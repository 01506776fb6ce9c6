package main

import (
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/oceanway/outbox/internal/migrate"
)

// build is what the binary knows of itself.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Schema   int32  `json:"schema"`
}

func newVersionCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this binary and of the schema it needs",
		Long: `version prints the version of this binary and the number of the last migration
that it carries. It needs no database.`,
		Example: `  outbox version
  outbox version --json`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			self, err := readBuild()
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(self)
			}
			return a.printf("outbox %s, schema %d, %s\n", self.Version, self.Schema, self.Go)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// readBuild reads what the linker left in the binary.
func readBuild() (build, error) {
	wanted, err := migrate.Wanted()
	if err != nil {
		return build{}, err
	}
	self := build{Version: "(devel)", Schema: wanted}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return self, nil
	}
	self.Version, self.Go = info.Main.Version, info.GoVersion
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			self.Revision = setting.Value
		case "vcs.modified":
			self.Modified = setting.Value == "true"
		}
	}
	return self, nil
}
