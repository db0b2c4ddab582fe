import type { EvaluateOptions, RunStreamEvent } from '../../../core/evaluation/index.ts';
import { Deadline } from '../../../core/runtime/index.ts';
import type { AnyTool, ToolResult } from '../../../core/tool/index.ts';
import { ConformanceError, each, expectEqual } from '../expect.ts';
import { note, noting } from '../fixture.ts';
import type { CaseDefinition, Stage, StartedRun } from '../stage.ts';
import { answer, call, itemsOf } from '../turn.ts';

/** A way for the caller to end a run. */
interface Ending {
  readonly what: string;
  readonly code: string;
  begin(stage: Stage): { readonly options: EvaluateOptions; end(): void };
}

const abort: Ending = {
  what: 'an abort',
  code: 'evaluation-aborted',
  begin: () => {
    const controller = new AbortController();
    return { options: { signal: controller.signal }, end: () => controller.abort() };
  },
};

const deadline: Ending = {
  what: 'a deadline',
  code: 'evaluation-deadline-exceeded',
  begin: ({ clock }) => ({
    options: { limits: { deadline: Deadline.after(60_000, clock) } },
    end: () => clock.advance(60_000),
  }),
};

const hanging = [
  answer({ toolCalls: [call('c1', 'note', { text: 'a' })] }),
  { type: 'hanging', text: 'Half of it' },
] as const;
const calling = [
  answer({ toolCalls: [call('c1', 'note', { text: 'a' }), call('c2', 'hangs', { text: 'b' })] }),
];

function whileAnswering({ what, code, begin }: Ending): CaseDefinition {
  return {
    name: `ends on ${what} while the provider answers`,
    needs: ['cut-off'],
    script: hanging,
    play: async (stage) => {
      const { options, end } = begin(stage);
      const run = stage.start(stage.workshop.agent({ tools: [note] }), options);
      await stage.hanging(run);
      end();
      const { error, calls } = await run.failed();
      expectEqual('the error', [error.code, error.phase], [code, 'request']);
      expectEqual('the outcome of the earlier call', each(calls, 'outcome'), ['committed']);
      await stage.workshop.expectNotes(['a']);
      const types = each(error.conversation, 'type');
      expectEqual('the items of the conversation', types, ['user', 'assistant', 'tool-result']);
      await stage.wasCutOff();
    },
  };
}

/** A tool that writes and then does not settle, and a promise of its first call. */
function hangingTool(): { readonly hangs: AnyTool; readonly reached: Promise<void> } {
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const hangs = noting('hangs', () => {
    reach();
    return new Promise<ToolResult<null>>(() => undefined);
  });
  return { hangs, reached };
}

/** Ends a run while a tool runs that does not settle. */
async function endWhileCalling(stage: Stage, { begin }: Ending) {
  const { hangs, reached } = hangingTool();
  const agent = stage.workshop.agent({ tools: [note, hangs] });
  const { options, end } = begin(stage);
  const limits = { ...options.limits, maxConcurrentCalls: 1 };
  const run: StartedRun<undefined> = stage.start(agent, { ...options, limits });
  await stage.waitFor('the tool is called', reached);
  end();
  return { agent, ...(await run.failed()) };
}

async function expectAborted(stage: Stage, calls: Stage['calls']): Promise<void> {
  expectEqual('the outcomes of the calls', each(calls, 'outcome'), ['committed', 'aborted']);
  await stage.workshop.expectNotes(['a']);
}

function whileCalling(ending: Ending): CaseDefinition {
  return {
    name: `ends on ${ending.what} while a tool runs`,
    script: calling,
    play: async (stage) => {
      const { error, calls } = await endWhileCalling(stage, ending);
      expectEqual('the error', [error.code, error.phase], [ending.code, 'tool']);
      await expectAborted(stage, calls);
    },
  };
}

/** Consumes a stream up to an event, and abandons it there. */
async function abandon(
  stage: Stage,
  tools: readonly AnyTool[],
  isLast: (event: RunStreamEvent) => boolean | Promise<boolean>,
): Promise<void> {
  const walk = async (): Promise<void> => {
    for await (const event of stage.stream(stage.workshop.agent({ tools }))) {
      if (await isLast(event)) return;
    }
    throw new ConformanceError('The stream ended before it could be abandoned.');
  };
  await stage.waitFor('the abandoned stream is closed', walk());
}

/** Cases of runs that the caller ends. */
export const endCases: readonly CaseDefinition[] = [
  ...[abort, deadline].flatMap((ending) => [whileAnswering(ending), whileCalling(ending)]),
  {
    name: 'continues a conversation after an abort',
    script: [...calling, answer({ text: 'I stop here.' })],
    play: async (stage) => {
      const { agent, error } = await endWhileCalling(stage, abort);
      const { response } = await stage.finish(agent, { input: 'And now?', history: error.conversation });
      expectEqual('the text of the response', response.text, 'I stop here.');
      const answered = each(itemsOf(stage.request(2), 'result'), 'callId');
      expectEqual('the calls that have a result', answered, ['c1', 'c2']);
    },
  },
  {
    name: 'cancels the request when a stream is abandoned while the provider answers',
    needs: ['cut-off'],
    modes: ['streamed'],
    script: hanging,
    play: async (stage) => {
      await abandon(stage, [note], ({ type }) => type === 'text-delta');
      await stage.workshop.expectNotes(['a']);
      await stage.wasCutOff();
    },
  },
  {
    name: 'cancels the call when a stream is abandoned while a tool runs',
    modes: ['streamed'],
    script: calling,
    play: async (stage) => {
      const { hangs, reached } = hangingTool();
      await abandon(stage, [note, hangs], async (event) => {
        if (event.type !== 'tool-call-start' || event.callId !== 'c2') return false;
        await reached;
        return true;
      });
      await expectAborted(stage, stage.calls);
    },
  },
  {
    name: 'ends on an abort before the run',
    script: [],
    play: async (stage) => {
      const { error } = await stage.fail(stage.workshop.agent(), { signal: AbortSignal.abort() });
      expectEqual('the code of the error', error.code, 'evaluation-aborted');
    },
  },
];
