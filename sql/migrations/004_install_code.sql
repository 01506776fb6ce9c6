-- Installs the functions, triggers and grants of snapshots/004. Written by make snapshot, not by hand.
-- Locks: share row exclusive on the tables whose triggers are replaced, for a moment.
set local lock_timeout = '5s';

{{ install_snapshot "004" }}
