import type { EvaluateOptions, RunStreamEvent } from '../../../core/evaluation/index.ts';
import { Deadline } from '../../../core/runtime/index.ts';
import type { AnyTool, ToolResult } from '../../../core/tool/index.ts';
import { ConformanceError, expectEqual } from '../expect.ts';
import { type AgentParts, note, noting } from '../fixture.ts';
import type { CaseDefinition, Stage } from '../stage.ts';
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

const committed = { notes: ['a'], files: ['kept.md', 'notes/a.md'] };
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
      expectEqual(
        'the outcome of the earlier call',
        calls.map(({ outcome }) => outcome),
        ['committed'],
      );
      expectEqual('the notes and files', await stage.workshop.content(), committed);
      expectEqual(
        'the items of the conversation',
        error.conversation.map(({ type }) => type),
        ['user', 'assistant', 'tool-result'],
      );
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

function whileCalling({ what, code, begin }: Ending): CaseDefinition {
  return {
    name: `ends on ${what} while a tool runs`,
    script: calling,
    play: async (stage) => {
      const { hangs, reached } = hangingTool();
      const { options, end } = begin(stage);
      const run = stage.start(stage.workshop.agent({ tools: [note, hangs] }), {
        ...options,
        limits: { ...options.limits, maxConcurrentCalls: 1 },
      });
      await stage.waitFor('the tool is called', reached);
      end();
      const { error, calls } = await run.failed();
      expectEqual('the error', [error.code, error.phase], [code, 'tool']);
      expectEqual(
        'the outcomes of the calls',
        calls.map(({ outcome }) => outcome),
        ['committed', 'aborted'],
      );
      expectEqual('the notes and files', await stage.workshop.content(), committed);
    },
  };
}

/** Consumes a stream up to an event, and abandons it there. */
async function abandon(
  stage: Stage,
  parts: AgentParts,
  isLast: (event: RunStreamEvent) => boolean | Promise<boolean>,
): Promise<void> {
  const walk = async (): Promise<void> => {
    for await (const event of stage.stream(stage.workshop.agent(parts))) {
      if (await isLast(event)) return;
    }
    throw new ConformanceError('The stream ended before it could be abandoned.');
  };
  await stage.waitFor('the abandoned stream is closed', walk());
}

const continued: CaseDefinition = {
  name: 'continues a conversation after an abort',
  script: [...calling, answer({ text: 'I stop here.' })],
  play: async (stage) => {
    const { hangs, reached } = hangingTool();
    const agent = stage.workshop.agent({ tools: [note, hangs] });
    const { options, end } = abort.begin(stage);
    const run = stage.start(agent, { ...options, limits: { ...options.limits, maxConcurrentCalls: 1 } });
    await stage.waitFor('the tool is called', reached);
    end();
    const { error } = await run.failed();
    const { response } = await stage.finish(agent, { input: 'And now?', history: error.conversation });
    expectEqual('the text of the response', response.text, 'I stop here.');
    const answered = itemsOf(stage.request(2), 'result').map(({ callId }) => callId);
    expectEqual('the calls that have a result', answered, ['c1', 'c2']);
  },
};

const abandonedWhileAnswering: CaseDefinition = {
  name: 'cancels the request when a stream is abandoned while the provider answers',
  needs: ['cut-off'],
  modes: ['streamed'],
  script: hanging,
  play: async (stage) => {
    await abandon(stage, { tools: [note] }, ({ type }) => type === 'text-delta');
    expectEqual('the notes and files', await stage.workshop.content(), committed);
    await stage.wasCutOff();
  },
};

const abandonedWhileCalling: CaseDefinition = {
  name: 'cancels the call when a stream is abandoned while a tool runs',
  modes: ['streamed'],
  script: calling,
  play: async (stage) => {
    const { hangs, reached } = hangingTool();
    await abandon(stage, { tools: [note, hangs] }, async (event) => {
      if (event.type !== 'tool-call-start' || event.callId !== 'c2') return false;
      await reached;
      return true;
    });
    expectEqual(
      'the outcomes of the calls',
      stage.calls.map(({ outcome }) => outcome),
      ['committed', 'aborted'],
    );
    expectEqual('the notes and files', await stage.workshop.content(), committed);
  },
};

const neverBegun: CaseDefinition = {
  name: 'ends on an abort before the run',
  script: [],
  play: async (stage) => {
    const { error } = await stage.fail(stage.workshop.agent(), { signal: AbortSignal.abort() });
    expectEqual('the code of the error', error.code, 'evaluation-aborted');
  },
};

/** Cases of runs that the caller ends. */
export const endCases: readonly CaseDefinition[] = [
  ...[abort, deadline].flatMap((ending) => [whileAnswering(ending), whileCalling(ending)]),
  continued,
  abandonedWhileAnswering,
  abandonedWhileCalling,
  neverBegun,
];
