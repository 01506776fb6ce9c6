package dispatcher

import (
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Prepare sets on a pool's configuration what the dispatcher needs of it: enough connections, an end
// to attempts to connect, no named prepared statements, and a call that is given up is cancelled on
// the server too instead of going on there without anybody waiting.
func (d Database) Prepare(pool *pgxpool.Config) {
	const cancelled = time.Second // time for the server to answer before the connection is dropped
	pool.MaxConns = d.MaxConnections
	if pool.ConnConfig.ConnectTimeout == 0 || pool.ConnConfig.ConnectTimeout > d.CallTimeout {
		pool.ConnConfig.ConnectTimeout = d.CallTimeout
	}
	pool.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	pool.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelled}
	}
}
