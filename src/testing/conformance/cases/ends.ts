import type { EvaluateOptions, RunStreamEvent } from '../../../evaluation/index.ts';
import { Deadline } from '../../../runtime/index.ts';
import type { AnyTool, ToolResult } from '../../../tool/index.ts';
import { ConformanceError, expectEqual } from '../expect.ts';
import { type AgentParts, note, noting } from '../fixture.ts';
import type { CaseDefinition, Stage } from '../stage.ts';
import { answer, call, itemsOf } from '../turn.ts';

/** A way to end a run from outside. */
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
    name: `${what} while the provider answers`,
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
        'what became of the call before',
        calls.map(({ outcome }) => outcome),
        ['committed'],
      );
      expectEqual('what is kept', await stage.workshop.content(), committed);
      expectEqual(
        'who said something',
        error.conversation.map(({ type }) => type),
        ['user', 'assistant', 'tool-result'],
      );
      await stage.wasCutOff();
    },
  };
}

/** A tool that has written something and does not end, and when it was reached. */
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
    name: `${what} while a tool runs`,
    script: calling,
    play: async (stage) => {
      const { hangs, reached } = hangingTool();
      const { options, end } = begin(stage);
      const run = stage.start(stage.workshop.agent({ tools: [note, hangs] }), {
        ...options,
        limits: { ...options.limits, maxConcurrentCalls: 1 },
      });
      await stage.patiently('the tool is called', reached);
      end();
      const { error, calls } = await run.failed();
      expectEqual('the error', [error.code, error.phase], [code, 'tool']);
      expectEqual(
        'what became of the calls',
        calls.map(({ outcome }) => outcome),
        ['committed', 'aborted'],
      );
      expectEqual('what is kept', await stage.workshop.content(), committed);
    },
  };
}

/** Goes through a stream until an event behind which it is left. */
async function leave(
  stage: Stage,
  parts: AgentParts,
  isLast: (event: RunStreamEvent) => boolean | Promise<boolean>,
): Promise<void> {
  const walk = async (): Promise<void> => {
    for await (const event of stage.stream(stage.workshop.agent(parts))) {
      if (await isLast(event)) return;
    }
    throw new ConformanceError('The stream came to its end before it could be left.');
  };
  await stage.patiently('the stream is left', walk());
}

const goesOn: CaseDefinition = {
  name: 'a conversation that goes on after an abort',
  script: [...calling, answer({ text: 'I leave it at that.' })],
  play: async (stage) => {
    const { hangs, reached } = hangingTool();
    const agent = stage.workshop.agent({ tools: [note, hangs] });
    const { options, end } = abort.begin(stage);
    const run = stage.start(agent, { ...options, limits: { ...options.limits, maxConcurrentCalls: 1 } });
    await stage.patiently('the tool is called', reached);
    end();
    const { error } = await run.failed();
    const { response } = await stage.finish(agent, { input: 'And now?', history: error.conversation });
    expectEqual('the text of the response', response.text, 'I leave it at that.');
    const answered = itemsOf(stage.request(2), 'result').map(({ callId }) => callId);
    expectEqual('the calls that have a result', answered, ['c1', 'c2']);
  },
};

const leftWhileAnswering: CaseDefinition = {
  name: 'a stream that is left while the provider answers',
  needs: ['cut-off'],
  modes: ['streamed'],
  script: hanging,
  play: async (stage) => {
    await leave(stage, { tools: [note] }, ({ type }) => type === 'text-delta');
    expectEqual('what is kept', await stage.workshop.content(), committed);
    await stage.wasCutOff();
  },
};

const leftWhileCalling: CaseDefinition = {
  name: 'a stream that is left while a tool runs',
  modes: ['streamed'],
  script: calling,
  play: async (stage) => {
    const { hangs, reached } = hangingTool();
    await leave(stage, { tools: [note, hangs] }, async (event) => {
      if (event.type !== 'tool-call-start' || event.callId !== 'c2') return false;
      await reached;
      return true;
    });
    expectEqual(
      'what became of the calls',
      stage.calls.map(({ outcome }) => outcome),
      ['committed', 'aborted'],
    );
    expectEqual('what is kept', await stage.workshop.content(), committed);
  },
};

const neverBegun: CaseDefinition = {
  name: 'an abort before the run',
  script: [],
  play: async (stage) => {
    const { error } = await stage.fail(stage.workshop.agent(), { signal: AbortSignal.abort() });
    expectEqual('the code of the error', error.code, 'evaluation-aborted');
  },
};

/** What becomes of runs that are ended from outside. */
export const endCases: readonly CaseDefinition[] = [
  ...[abort, deadline].flatMap((ending) => [whileAnswering(ending), whileCalling(ending)]),
  goesOn,
  leftWhileAnswering,
  leftWhileCalling,
  neverBegun,
];
