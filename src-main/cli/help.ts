export const HELP = `countersign: the approval desk between AI clients and your keys

  countersign                          start Countersign, or bring it to the front
  countersign mcp [--client ID]        the MCP server that AI clients launch (stdio)
  countersign status                   is it running, where is its page, who waits
  countersign doctor [--full]          what is wrong here, and what to do about it; --full reads the whole log

  countersign list [--scope POLICY]    names of secrets
  countersign get NAME                 the value, exactly (a terminal gets a line end after it)
  countersign store NAME [--force]     value from stdin, exactly as piped in, line ends included;
                                       at a terminal: one line, not shown, without its end
  countersign remove NAME
  countersign policy test POLICY NAME  "allowed" or "denied"

  countersign audit show [--client ID] [--tool NAME] [--secret NAME] [--outcome WORD]
                         [--last 24h] [--text WORDS] [--limit 50]
  countersign audit export FILE [--format jsonl|csv] [the same filters]
  countersign audit verify             is the log as it was written?

  countersign backup export FILE       everything but the log, under a passphrase: asked for at a
  countersign backup import FILE       terminal without echo, otherwise the first line of stdin

  countersign clients list             AI clients on this computer, and whether we are registered
  countersign clients add CLIENT [--policy NAME] [--dry-run]
  countersign clients repair CLIENT [--dry-run]
  countersign clients remove CLIENT [--dry-run]
  countersign clients remove --all [--dry-run]
                                       our entry in its own configuration; --dry-run shows the diff
  countersign clients token list       programs that come over HTTP (docs/http.md)
  countersign clients token add CLIENT [--name WORDS] [--policy NAME]
  countersign clients token rotate CLIENT
  countersign clients token revoke CLIENT
                                       a token is shown once, when it is made
  countersign clients scan             credentials that stand there in plain text, never their values

  --json     one JSON object or array on stdout, also for errors: {"error": ..., "exit": ...}
  --version  --help

The command line is a client like any other: what it reads follows its policy, what it writes asks a
person, and it cannot answer for them. While it waits, it says on stderr where to answer; when nobody
answers in time it ends with 1, and the same command repeated after the answer goes through.

Exit codes: 0 done; 1 failed, or still waiting for an answer; 2 wrong usage; 3 not found (also: nothing
to remove); 4 denied (also: policy test says "denied"); 5 exists already; 6 Countersign is not running.
audit verify: 1 tampered with, 7 no key, 8 behind its head.
`
