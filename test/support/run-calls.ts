import {
  type AnyResourceBinding,
  type AnySlice,
  type AnyTool,
  binding,
  type EvaluateOptions,
  Filesystem,
  MemoryFilesystem,
  type PromptResponse,
  promptTemplate,
  type RunEvent,
  Session,
  section,
  type ToolInvokedPayload,
  type ToolPolicy,
} from 'weakincentives';
import { type ScriptedToolCall, scriptedAdapter } from 'weakincentives/testing';

/** Tools and calls of a scripted run. */
export interface CallSetup extends Omit<EvaluateOptions, 'session'> {
  readonly tools: readonly AnyTool[];
  /** The calls of one turn, or of several. */
  readonly calls?: readonly ScriptedToolCall[];
  readonly turns?: readonly (readonly ScriptedToolCall[])[];
  readonly policies?: readonly ToolPolicy[];
  readonly promptPolicies?: readonly ToolPolicy[];
  readonly slices?: readonly AnySlice[];
  readonly resources?: readonly AnyResourceBinding[];
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly filesystem?: MemoryFilesystem;
  readonly session?: Session;
}

/** Result of the run. */
export interface CallOutcome {
  readonly session: Session;
  readonly filesystem: MemoryFilesystem;
  readonly events: readonly RunEvent[];
  readonly invocations: readonly ToolInvokedPayload[];
  /** Tool results sent to the model, per call. */
  readonly texts: readonly string[];
  readonly response: PromptResponse;
}

/** A run that has begun. */
export interface StartedCalls extends Omit<CallOutcome, 'texts' | 'response'> {
  readonly finished: Promise<CallOutcome>;
}

/** Evaluates a prompt with these tools on a scripted model that makes these calls and then stops. */
export function startCalls(setup: CallSetup): StartedCalls {
  const {
    tools,
    calls = [],
    turns = [calls],
    policies,
    promptPolicies,
    slices,
    resources = [],
    files,
    ...rest
  } = setup;
  const {
    observers = [],
    filesystem = new MemoryFilesystem(files === undefined ? {} : { files }),
    session: given,
    ...options
  } = rest;
  const session = given ?? new Session(options.clock === undefined ? {} : { clock: options.clock });
  const template = promptTemplate({
    ns: 'test',
    key: 'calls',
    ...(promptPolicies === undefined ? {} : { policies: promptPolicies }),
    resources: [binding(Filesystem, { instance: filesystem }), ...resources],
    sections: [
      section({
        title: 'Tools',
        key: 'tools',
        template: 'Use them.',
        tools,
        ...(policies === undefined ? {} : { policies }),
        ...(slices === undefined ? {} : { slices }),
      }),
    ],
  });
  const events: RunEvent[] = [];
  const invocations: ToolInvokedPayload[] = [];
  const adapter = scriptedAdapter([...turns.map((toolCalls) => ({ toolCalls })), { text: 'done' }]);
  const started = { session, filesystem, events, invocations };
  const evaluation = adapter.evaluate(template.bind(), {
    ...options,
    session,
    observers: [
      {
        onEvent: (event) => {
          events.push(event);
          if (event.type === 'tool-call-end') invocations.push(event.invocation);
        },
      },
      ...observers,
    ],
  });
  const finished = evaluation.then((response) => ({
    ...started,
    response,
    texts: response.conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : [])),
  }));
  return { ...started, finished };
}

/** {@link startCalls}, run to the end. */
export async function runCalls(setup: CallSetup): Promise<CallOutcome> {
  return startCalls(setup).finished;
}

/** The first of a list that must not be empty. */
export function only<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length !== 1) throw new Error(`Expected one item, got ${items.length}.`);
  return item;
}
