package pgserver

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
)

// address is how a server is reached: by connection string for one that was given, by parts for one of ours.
type address struct {
	given    string // as configured, URL or keyword/value form; empty on a private server
	private  bool
	socket   string // directory of the Unix socket, with its port below, or
	port     int
	host     string // host:port
	password string
	database string
}

// dsn names a database; an empty user means the admin. On a private server it leaves nothing open that a client would
// take from PGHOST, PGPORT and the like.
func (a address) dsn(database, user, password string) string {
	if a.given != "" {
		return rewrite(a.given, database, user, password)
	}
	if user == "" {
		user, password = adminUser, a.password
	}
	u := url.URL{Scheme: "postgres", User: url.User(user), Host: a.host, Path: "/" + database}
	if password != "" && a.socket == "" {
		u.User = url.UserPassword(user, password)
	}
	if a.socket != "" {
		u.RawQuery = url.Values{"host": {a.socket}, "port": {fmt.Sprint(a.port)}}.Encode()
	} else {
		u.RawQuery = "sslmode=disable"
	}
	return u.String()
}

func (a address) display(database string) string {
	dsn := a.dsn(database, "", "")
	if a.private {
		return dsn
	}
	if u, ok := parseURL(dsn); ok {
		return u.Redacted()
	}
	return rewrite(dsn, database, "", "xxxxx")
}

// rewrite changes the database and, when given, the user of a connection string in either of libpq's two forms. In the
// keyword form a later word wins.
func rewrite(dsn, database, user, password string) string {
	if u, ok := parseURL(dsn); ok {
		u.Path, u.RawPath = "/"+database, ""
		query := u.Query()
		for _, name := range []string{"dbname", "database"} {
			query.Del(name)
		}
		if user != "" {
			query.Del("user")
			query.Del("password")
			u.User = url.UserPassword(user, password)
		}
		u.RawQuery = query.Encode()
		return u.String()
	}
	words := []string{dsn, "dbname=" + quoteWord(database)}
	if user != "" {
		words = append(words, "user="+quoteWord(user))
	}
	if password != "" {
		words = append(words, "password="+quoteWord(password))
	}
	return strings.Join(words, " ")
}

func parseURL(dsn string) (*url.URL, bool) {
	if !strings.HasPrefix(dsn, "postgres://") && !strings.HasPrefix(dsn, "postgresql://") {
		return nil, false
	}
	u, err := url.Parse(dsn)
	return u, err == nil
}

func quoteWord(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}

// remote is a server that somebody else runs.
type remote struct{ addr address }

// startRemote proves that the configured server can be reached.
func startRemote(ctx context.Context, dsn string) (backend, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("%s is not a connection string: %w", EnvURL, err)
	}
	database := config.Database
	if database == "" {
		database = config.User
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	if err := conn.Close(ctx); err != nil {
		return nil, fmt.Errorf("disconnect: %w", err)
	}
	return &remote{addr: address{given: dsn, database: database, host: hostOf(config)}}, nil
}

func hostOf(config *pgx.ConnConfig) string {
	if strings.HasPrefix(config.Host, "/") {
		return config.Host
	}
	return net.JoinHostPort(config.Host, fmt.Sprint(config.Port))
}

func (r *remote) address() address            { return r.addr }
func (r *remote) describe() string            { return "at " + r.addr.host }
func (r *remote) close(context.Context) error { return nil }
