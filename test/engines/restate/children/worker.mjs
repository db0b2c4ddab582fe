// A worker of Restate with runs of agents: `letters`, an object for each session, and `publishing`, a workflow that asks a person. Prints its port when it is ready. Arguments: the path of the SDK,
// the log of what really happened, and the version of the program: `first`; `changed`, with another prompt; `strict`, which refuses a changed prompt; `stuck`, whose model does not answer the second time.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ensureRun, PolicyDecision, promptTemplate, section, suspendApproval, ToolResult, tool } from 'weakincentives';
import { runOnSteps } from 'weakincentives/durable';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const [sdk = '', file = '', version = 'first'] = process.argv.slice(2);
/** @type {any} */
const restate = await import(pathToFileURL(sdk).href);
/** @param {string} line */
const log = (line) => appendFileSync(file, `${line} ${process.pid}\n`);

const send = tool({
  name: 'send',
  description: 'Sends a letter.',
  inputSchema: z.object({ to: z.string() }),
  effects: 'external',
  execute: ({ to }) => {
    log(`send ${to}`);
    return ToolResult.ok(null, `sent to ${to}`);
  },
});

const asking = { name: 'public', check: () => PolicyDecision.ask('Send it?') };

/** @param {boolean} asks */
const promptOf = (asks) =>
  promptTemplate({
    ns: 'desk',
    key: 'letters',
    policies: asks ? [asking] : [],
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: version === 'first' || version === 'stuck' ? 'Send a letter.' : 'Send a letter, and be kind.',
        tools: [send],
      }),
    ],
  }).bind();

/** Its last answer is what it has read of the call. @param {string} id */
const adapterOf = (id) =>
  scriptedAdapter(async (conversation, { turn }, { signal }) => {
    log(`model ${id} ${turn}`);
    await sleep(version === 'stuck' && turn > 1 ? 600_000 : 10, undefined, { signal });
    if (turn === 1) return { toolCalls: [{ name: 'send', arguments: { to: id } }] };
    return { text: JSON.stringify(conversation.at(-1)) };
  });

const letters = restate.object({
  name: 'letters',
  handlers: {
    /** @param {any} context */
    run: async (context) => {
      const runId = context.key;
      const { text } = await runOnSteps({
        runId,
        signal: context.request().attemptCompletedSignal,
        step: (name, work) => context.run(name, work),
        start: (run) =>
          ensureRun({
            adapter: adapterOf(runId),
            prompt: promptOf(false),
            input: 'Go.',
            strict: version === 'strict',
            ...run,
          }),
      });
      return text;
    },
  },
});

const publishing = restate.workflow({
  name: 'publishing',
  handlers: {
    /** @param {any} context */
    run: async (context) => {
      const runId = context.key;
      let asked = 0;
      const { text } = await runOnSteps({
        runId,
        signal: context.request().attemptCompletedSignal,
        step: (name, work) => context.run(name, work),
        start: (run) =>
          ensureRun({
            adapter: adapterOf(runId),
            prompt: promptOf(true),
            input: 'Go.',
            approve: suspendApproval(),
            ...run,
          }),
        answers: async ({ pending }) => {
          asked += 1;
          context.set('pending', pending.map(({ id, digest, toolName }) => ({ id, digest, toolName })));
          const answers = await context.promise(`answers ${asked}`);
          context.clear('pending');
          return answers;
        },
      });
      return text;
    },
    pending: restate.handlers.workflow.shared(async (/** @type {any} */ context) => (await context.get('pending')) ?? []),
    answer: restate.handlers.workflow.shared(async (/** @type {any} */ context, /** @type {unknown} */ answers) => {
      await context.promise('answers 1').resolve(answers);
    }),
  },
});

const port = await restate.serve({ services: [letters, publishing], port: 0, logger: () => undefined });
console.log(port);
