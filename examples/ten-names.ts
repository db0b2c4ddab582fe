// The ten names that agents are made of.
import assert from 'node:assert/strict';
import {
  defineAgent,
  defineSlice,
  promptTemplate,
  readBeforeWritePolicy,
  runAgent,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { z } from 'zod';

// defineSlice: typed state that rolls back with a failed call.
const Sent = defineSlice({ name: 'sent', schema: z.object({ to: z.string() }), initial: [] });

// tool and ToolResult: one function for the model. `effects` says what it changes: read, state or external.
const send = tool({
  name: 'queue_mail',
  description: 'Queues a mail.',
  inputSchema: z.object({ to: z.email() }),
  effects: 'state',
  execute: ({ to }, { session }) => {
    session.slice(Sent).append({ to });
    return to.endsWith('.test')
      ? ToolResult.ok({ to })
      : ToolResult.error(`Only .test addresses, not ${to}.`);
  },
});

// section: instructions with their tools, policies and slices.
const mail = section({
  title: 'Mail',
  key: 'mail',
  template: 'Queue the mails.',
  tools: [send],
  slices: [Sent],
});

// vfsToolsSection: file tools. readBeforeWritePolicy: a rule about calls, here the default one.
const files = vfsToolsSection({ policies: [readBeforeWritePolicy()] });

// promptTemplate: a tree of sections.
const template = promptTemplate({ ns: 'examples', key: 'ten-names', sections: [mail, files] });

// defineAgent: a prompt with what it needs to run. scriptedAdapter: a script in place of a model, for tests.
const call = (to: string) => ({ toolCalls: [{ name: 'queue_mail', arguments: { to } }] });
const agent = defineAgent({
  template,
  adapter: scriptedAdapter([call('a@b.com'), call('a@b.test'), { text: 'Queued.' }]),
});

// runAgent: runs it, with files, limits, a journal, approvals.
const session = new Session();
const run = await runAgent(agent, { session });
assert.deepEqual(session.slice(Sent).all(), [{ to: 'a@b.test' }]);
console.log(run.text);
