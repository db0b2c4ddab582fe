import type { Row } from './rows.ts';
import { boolean, choice, json, list, number, object, type Shape, string } from './shape.ts';

const error = object({ name: string, message: string, 'code?': string });
const usage = object();

const content = object({ hash: string, bytes: number, 'omitted?': boolean });

const write = choice('op', {
  append: object({ slice: string, items: list(json) }),
  put: object({ slice: string, key: string, item: json, 'toEnd?': boolean }),
  remove: object({ slice: string, keys: list(string) }),
  clear: object({ slice: string }),
});

const log = object({ slice: string, items: list(json) });

const read = object({
  kind: string,
  what: string,
  'path?': string,
  'pattern?': string,
  'slice?': string,
  'key?': string,
  'found?': string,
  'content?': content,
});

const fileChange = object({
  path: string,
  kind: string,
  entry: string,
  'before?': content,
  'after?': content,
  'from?': string,
  'mode?': number,
  'replacedMode?': number,
  'link?': string,
  'replacedLink?': string,
  'removedWith?': string,
});

const phases = object({
  requestedAtMs: number,
  'startedAtMs?': number,
  'handlerStartedAtMs?': number,
  'handlerEndedAtMs?': number,
  'endedAtMs?': number,
  settledAtMs: number,
  approvals: list(object({ fromMs: number, toMs: number })),
});

const policyAnswer = object({
  policy: string,
  'policyPrompt?': string,
  about: string,
  outcome: string,
  'reason?': string,
});

const approval = object({
  policy: string,
  'policyPrompt?': string,
  reason: string,
  about: string,
  approved: boolean,
  'answer?': string,
});

const feedback = choice('outcome', {
  given: object({ provider: string, severity: string, message: string, 'suggestions?': list(string) }),
  silent: object({ provider: string }),
  failed: object({ provider: string, error }),
});

const result = object({
  outcome: string,
  message: string,
  modelText: string,
  'reason?': string,
  'policy?': string,
  'error?': error,
  'usage?': usage,
  'feedback?': list(feedback),
  'approvals?': list(approval),
  'residualEffects?': list(string),
  'openedSections?': list(object({ section: string })),
});

const text = object({ text: string });
const media = object({ mediaType: string, data: string, 'name?': string });
const part = choice('type', {
  text,
  reasoning: text,
  'tool-call': object({ callId: string, name: string, arguments: string }),
  'approval-request': object({ approvalId: string, toolName: string, name: string, arguments: string }),
  image: media,
  file: media,
});

const raw = object({ provider: string, items: list(json) });
const message = choice('type', {
  user: object({ content: list(part) }),
  assistant: object({ content: list(part), 'raw?': raw }),
  'tool-result': object({
    callId: string,
    toolName: string,
    text: string,
    'isError?': boolean,
    'attachments?': list(part),
  }),
  approval: object({ approvalId: string, approved: boolean, 'reason?': string }),
});

const ofCall = { turn: number, callId: string, toolName: string };

/** Of events that are not named only the type and the turn are used. */
const event = choice(
  'type',
  {
    'tool-call-start': object(ofCall),
    'tool-call-progress': object({ ...ofCall, update: json }),
    'model-call-retry': object({ turn: number, reason: string, delayMs: number, message: string }),
    'output-rejected': object({ turn: number, repair: number, problem: string }),
    'completion-checked': object({ turn: number, checker: string, outcome: string, 'feedback?': string }),
    'tool-results-dropped': object({ turn: number, callIds: list(string), characters: number }),
    'turns-dropped': object({ turn: number, turns: number, callIds: list(string) }),
    'budget-exceeded': object({ turn: number, limit: string, value: number, maximum: number }),
    'policy-unenforced': object({ ...ofCall, policy: string, outcome: string, reason: string }),
    'hosted-tool-called': object({ turn: number, toolName: string }),
    'hosted-approval-answered': object({
      turn: number,
      toolName: string,
      name: string,
      approved: boolean,
      'reason?': string,
    }),
  },
  object({ 'turn?': number }),
);

const ofAny = { t: number, 'run?': number, 'redacted?': boolean };

const done = {
  reads: list(read),
  'attachments?': list(part),
  writes: list(write),
  log: list(log),
  events: list(object({ name: string, policy: string, payload: json })),
  files: list(fileChange),
  'records?': list(log),
};

const question = object({
  id: string,
  digest: string,
  turn: number,
  callId: string,
  toolName: string,
  key: string,
  'path?': list(object({ callId: string, toolName: string })),
  attempt: number,
  params: json,
  policy: string,
  'policyPrompt?': string,
  reason: string,
  askedAtMs: number,
  'expiresAtMs?': number,
  'staged?': object({ ...done, message: string }),
});

const attempt = {
  ...ofAny,
  turn: number,
  callId: string,
  toolName: string,
  attempt: number,
  'effects?': string,
  'base?': number,
  phases,
  policies: list(policyAnswer),
  ...done,
};

const run = {
  evaluationId: string,
  promptName: string,
  prompt: object({ namespace: string, key: string, hash: string }),
  'agent?': string,
  adapter: string,
  'provider?': string,
  model: string,
  'prices?': object(),
  settings: object(),
  tools: list(object({ name: string, effects: string })),
  toolsHash: string,
  policies: list(string),
};

const shapes: { readonly [Type in Row['type']]: Shape } = {
  header: object({
    ...run,
    version: string,
    runId: string,
    sessionId: string,
    startedAtMs: number,
    'runtime?': string,
    'module?': string,
    'workspace?': string,
    'params?': object(),
    'base?': object({ runId: string, seq: number }),
  }),
  blob: object({ hash: string }),
  run: object({
    ...run,
    t: number,
    run: number,
    parent: object({
      'run?': number,
      turn: number,
      callId: string,
      attempt: number,
      evaluation: number,
      'policy?': string,
    }),
  }),
  slice: object({ name: string, policy: string, isKeyed: boolean, 'version?': number, 'retain?': number }),
  state: object({ ...ofAny, kind: string, writes: list(write), log: list(log) }),
  seen: object({ ...ofAny, path: string, found: string, 'content?': content, 'names?': list(string) }),
  request: object({
    ...ofAny,
    turn: number,
    instructions: string,
    tools: string,
    'hostedTools?': list(object()),
    settings: object(),
    'outputSchema?': string,
    edits: list(object({ at: number, remove: number, insert: list(message) })),
    length: number,
    tokens: object({ instructions: number, tools: number, conversation: number, added: number }),
  }),
  response: object({
    ...ofAny,
    turn: number,
    durationMs: number,
    'timeToFirstPieceMs?': number,
    'content?': list(part),
    'raw?': raw,
    'hosted?': list(object()),
    'finishReason?': string,
    'usage?': usage,
    'responseId?': string,
    'responseModel?': string,
    'error?': error,
  }),
  commit: object({ ...attempt, 'seq?': number, result }),
  attempt: object({
    ...attempt,
    why: string,
    conflicts: list(object({ what: string, by: list(number) })),
    'result?': result,
  }),
  delivered: object({
    ...ofAny,
    turn: number,
    callId: string,
    'modelText?': string,
    'feedback?': list(feedback),
  }),
  begin: object({ ...ofAny, turn: number, callId: string, toolName: string, attempt: number }),
  pending: object({
    ...ofAny,
    questions: list(question),
  }),
  question: object({ ...ofAny, question }),
  answer: object({
    ...ofAny,
    id: string,
    digest: string,
    approved: boolean,
    'by?': string,
    'note?': string,
    atMs: number,
  }),
  resumed: object({ ...ofAny, atMs: number, turn: number, changed: list(string) }),
  input: object({ ...ofAny, turn: number, items: list(message) }),
  event: object({ ...ofAny, event }),
  end: object({ ...ofAny, outcome: string, turns: number, usage, 'text?': string, 'error?': error }),
};

/** Whether this version knows the type of a row. */
export function isKnownType(type: string): type is Row['type'] {
  return Object.hasOwn(shapes, type);
}

/** The place in a row where something is missing or of the wrong kind; undefined when all is there. */
export function findFault(row: Readonly<Record<string, unknown>>, type: Row['type']): string | undefined {
  return shapes[type](row, '');
}
