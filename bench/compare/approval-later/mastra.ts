import { readFile, writeFile } from 'node:fs/promises';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import { z } from 'zod';
import { by, cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { currentPart, leave, startPart } from '../harness/part.ts';
import type { Script } from '../harness/script.ts';
import { mastraModel, quiet } from '../systems/mastra.ts';
import { answeringScript, askingScript, check, planDeployment, prepare } from './case.ts';

const change = z.object({ path: z.string(), text: z.string() });
type Change = z.infer<typeof change>;

// A tool suspends itself with what a person is to see (documentation: Human-in-the-loop, "Approval using suspend()"). It runs again
// with the answer, which brings the change back: so it need not be worked out anew.
const deploy = createTool({
  id: 'deploy',
  description: 'Write the rates into the folder that the shop reads.',
  inputSchema: z.object({ target: z.string() }),
  suspendSchema: change,
  resumeSchema: change.extend({ approved: z.boolean() }),
  execute: async ({ target }, { agent }) => {
    const answer = agent?.resumeData;
    if (answer === undefined) return await agent?.suspend(await planDeployment(diskFiles, target));
    if (!answer.approved) return 'Denied.';
    await diskFiles.write(answer.path, answer.text);
    return 'Deployed.';
  },
});
function agentOf(script: Script): Agent {
  const deployer = new Agent({
    id: 'deployer',
    name: 'deployer',
    instructions: 'Deploy.',
    model: mastraModel(script),
    tools: { deploy },
  });
  const storage = new LibSQLStore({ id: 'storage', url: 'file:storage.db' });
  const mastra = new Mastra({ agents: { deployer }, storage, logger: quiet });
  return mastra.getAgent('deployer');
}
interface Question {
  readonly runId: string;
  readonly change: Change;
}

switch (currentPart) {
  case 'ask': {
    const output = await agentOf(askingScript()).generate('Begin.');
    if (output.finishReason !== 'suspended') throw new Error('The run did not ask.');
    const { suspendPayload } = output.suspendPayload as { readonly suspendPayload: Change };
    await writeFile('question.json', JSON.stringify({ runId: output.runId, change: suspendPayload }));
    await leave(undefined);
    break;
  }
  default:
    await cell(async () => {
      await prepare();
      await startPart(import.meta.url, 'ask');
      const { runId, change: shown } = JSON.parse(await readFile('question.json', 'utf8')) as Question;
      const answer = { path: shown.path, text: shown.text, approved: true };
      await agentOf(answeringScript()).resumeGenerate(answer, { runId });
      return by('suspend(), change sent back', await check(shown.text));
    });
}
