/** The options of `wink run`, for `parseArgs`; other commands take some of them. */
export const runOptions = {
  workspace: { type: 'string' },
  params: { type: 'string' },
  input: { type: 'string' },
  model: { type: 'string' },
  'base-url': { type: 'string' },
  effort: { type: 'string' },
  'max-output-tokens': { type: 'string' },
  'context-overflow': { type: 'string' },
  'max-conversation-turns': { type: 'string' },
  'max-turns': { type: 'string' },
  'max-repeated-failures': { type: 'string' },
  'max-tokens': { type: 'string' },
  'max-cost': { type: 'string' },
  prices: { type: 'string' },
  deadline: { type: 'string' },
  log: { type: 'string' },
  record: { type: 'string' },
  durable: { type: 'boolean' },
  journal: { type: 'string' },
  'run-id': { type: 'string' },
  suspend: { type: 'boolean' },
  expires: { type: 'string' },
  'on-suspend': { type: 'string' },
  apply: { type: 'string' },
  tag: { type: 'string' },
  overrides: { type: 'string' },
  sandbox: { type: 'string' },
  mcp: { type: 'string' },
  'no-enforce': { type: 'boolean' },
  json: { type: 'boolean' },
  deltas: { type: 'boolean' },
  verbose: { type: 'boolean' },
  full: { type: 'boolean' },
  otel: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const;

/** Some of the options of `wink run`. */
export function someRunOptions<const Name extends keyof typeof runOptions>(
  names: readonly Name[],
): Pick<typeof runOptions, Name> {
  // It has the names that it is made of.
  return Object.fromEntries(names.map((name) => [name, runOptions[name]])) as Pick<typeof runOptions, Name>;
}
