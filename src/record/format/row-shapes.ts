import { isRecord } from '../../internal/index.ts';
import type { Row } from './rows.ts';

type Kind = 'string' | 'number' | 'boolean' | 'object' | 'array';

const attempt = {
  t: 'number',
  turn: 'number',
  callId: 'string',
  toolName: 'string',
  attempt: 'number',
  phases: 'object',
  reads: 'array',
  policies: 'array',
  writes: 'array',
  log: 'array',
  events: 'array',
  files: 'array',
} as const;

const run = {
  evaluationId: 'string',
  promptName: 'string',
  prompt: 'object',
  adapter: 'string',
  model: 'string',
  settings: 'object',
  tools: 'array',
  policies: 'array',
} as const;

/** The members that a row of each type has at least. */
const shapes: { readonly [Type in Row['type']]: Readonly<Record<string, Kind>> } = {
  header: { version: 'string', runId: 'string', sessionId: 'string', startedAtMs: 'number', ...run },
  blob: { hash: 'string' },
  run: { run: 'number', t: 'number', parent: 'object', ...run },
  slice: { name: 'string', policy: 'string', isKeyed: 'boolean' },
  state: { t: 'number', kind: 'string', writes: 'array', log: 'array' },
  seen: { t: 'number', path: 'string', found: 'string' },
  request: {
    t: 'number',
    turn: 'number',
    instructions: 'string',
    tools: 'string',
    settings: 'object',
    edits: 'array',
    length: 'number',
    tokens: 'object',
  },
  response: { t: 'number', turn: 'number', durationMs: 'number' },
  commit: { ...attempt, result: 'object' },
  attempt: { ...attempt, why: 'string', conflicts: 'array' },
  delivered: { t: 'number', turn: 'number', callId: 'string', modelText: 'string', feedback: 'array' },
  event: { t: 'number', event: 'object' },
  end: { t: 'number', outcome: 'string', turns: 'number', usage: 'object' },
};

/** Whether this version knows the type of a row. */
export function isKnownType(type: string): type is Row['type'] {
  return Object.hasOwn(shapes, type);
}

/** The member of a row that is missing or of the wrong kind; undefined when all are there. */
export function findFault(row: Readonly<Record<string, unknown>>, type: Row['type']): string | undefined {
  return Object.entries(shapes[type]).find(([name, kind]) => kindOf(row[name]) !== kind)?.[0];
}

function kindOf(value: unknown): Kind | undefined {
  if (Array.isArray(value)) return 'array';
  if (isRecord(value)) return 'object';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : undefined;
}
