import {
  defineAgent,
  PolicyDecision,
  promptTemplate,
  type ResumeAnswer,
  runAgent,
  section,
  suspendApproval,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { openWorkspace } from 'weakincentives/node';
import { sqliteJournal } from 'weakincentives/sqlite';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { currentPart, leave, leftBy, startPart } from '../harness/part.ts';
import { winkModel } from '../systems/wink.ts';
import { filesOf } from '../systems/wink-files.ts';
import { answeringScript, askingScript, check, planDeployment, prepare } from './case.ts';

const deploy = tool({
  name: 'deploy',
  description: 'Write the rates into the folder that the shop reads.',
  inputSchema: z.object({ target: z.string() }),
  effects: 'state',
  execute: async ({ target }, { filesystem }) => {
    const { path, text } = await planDeployment(filesOf(filesystem), target);
    await filesystem.write(path, text);
    return ToolResult.ok(null, 'Deployed.');
  },
});
const protectProduction: ToolPolicy = {
  name: 'protect-production',
  checkChanges: (_call, changes) =>
    changes.some(({ path }) => path.startsWith('production/'))
      ? PolicyDecision.ask('Production needs a person.')
      : PolicyDecision.allow(),
};
const task = section({ title: 'Task', key: 'task', template: 'Deploy.', tools: [deploy] });
const agent = defineAgent({
  template: promptTemplate({
    ns: 'compare',
    key: 'approval',
    sections: [task],
    policies: [protectProduction],
  }),
  workspace: { exclude: ['runs.log', 'journal.db*'] },
});

async function run(script: ReturnType<typeof askingScript>, answers?: readonly ResumeAnswer[]) {
  await using journal = sqliteJournal({ file: 'journal.db' });
  await using workspace = await openWorkspace({ agent, folder: '.', journal, apply: 'end' });
  const job = {
    adapter: winkModel(script),
    journal,
    runId: 'deploy-1',
    approve: suspendApproval(),
    workspace,
  };
  return await runAgent(agent, answers === undefined ? job : { ...job, answers });
}

interface Question {
  readonly shown: string | undefined;
  readonly answers: readonly ResumeAnswer[];
}

switch (currentPart) {
  case 'ask': {
    const waiting = await run(askingScript());
    if (waiting.finishReason !== 'suspended') throw new Error('The run did not ask.');
    const shown = waiting.pending[0]?.changes?.[0]?.after?.text();
    const answers = waiting.pending.map(({ id, digest }) => ({ id, digest, approved: true, by: 'ada' }));
    await leave({ shown, answers } satisfies Question);
    break;
  }
  default:
    await cell(async () => {
      await prepare();
      const { shown, answers } = leftBy<Question>(await startPart(import.meta.url, 'ask'));
      await run(answeringScript(), answers);
      return await check(shown);
    });
}
