-- Objects of earlier code that this version no longer has, dropped before the current code is installed: one
-- "drop … if exists" each, kept for as long as a supported upgrade can meet them. The first release has none.
do $$ begin null; end $$;
