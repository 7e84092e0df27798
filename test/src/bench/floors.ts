/** What the system is held against; written with the results. */
export const floors = {
  F0: 'a bare node:http server, in a process of its own, that parses the same JSON bodies and answers in JSON how many events they hold',
  F1: 'an Express server, in a process of its own, that parses the same bodies with its own parser and answers in JSON how many events they hold',
  F2: 'the event store client alone, in a process of its own, appending the same events with as many appends under way',
  F3: 'the time to read the same events with the client alone plus the time to insert the same rows of facts in the same batches',
  F4: "the very requests that the service sends to ClickHouse for the page, sent straight to ClickHouse's HTTP port",
  F5: "the very request that the service sends to ClickHouse for the download, sent straight to ClickHouse's HTTP port",
  F6: 'the bare parser, in a process of its own: lines or brackets told apart and JSON.parse for NDJSON and JSON, csv-parse with a header row for CSV',
  F7: 'the system itself, asked for the same page of a tenth of the rows',
  peer: 'the service without a log, in test/src/bench/peer-postgres: Express, zod and one PostgreSQL with plain tables, told the same and asked the same',
  alone: 'the system itself, told the same plays one a request',
  open: 'the same server and the same route, open to everybody',
  first: 'the system itself, told plays that it was never told before',
  'page 1': 'the system itself, asked for the first page of the same window',
  'no FINAL': 'the same queries, sent straight to ClickHouse, over all versions of the rows',
  live: 'the projection as it runs live: the same events, folded and computed batch by batch into a generation of its own',
  flush: 'the age at which a projection writes a batch that is not full',
} as const;
