import { readFile, writeFile } from 'node:fs/promises';
import { Agent, RunState, run, tool } from '@openai/agents';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { currentPart, leave, startPart } from '../harness/part.ts';
import type { Script } from '../harness/script.ts';
import { openaiAgentsModel } from '../systems/openai-agents.ts';
import { answeringScript, askingScript, check, planDeployment, prepare } from './case.ts';

const deploy = tool({
  name: 'deploy',
  description: 'Write the rates into the folder that the shop reads.',
  parameters: z.object({ target: z.string() }),
  needsApproval: true,
  execute: async ({ target }) => {
    const { path, text } = await planDeployment(diskFiles, target);
    await diskFiles.write(path, text);
    return 'Deployed.';
  },
});
const agentOf = (script: Script) =>
  new Agent({ name: 'deployer', instructions: 'Deploy.', model: openaiAgentsModel(script), tools: [deploy] });

// The state of a run is a text that another process continues from (documentation: Human-in-the-loop).
switch (currentPart) {
  case 'ask': {
    const { interruptions, state } = await run(agentOf(askingScript()), 'Begin.');
    if (interruptions.length !== 1) throw new Error('The run did not ask.');
    await writeFile('state.json', state.toString());
    await leave(undefined);
    break;
  }
  default:
    await cell(async () => {
      await prepare();
      await startPart(import.meta.url, 'ask');
      const agent = agentOf(answeringScript());
      const state = await RunState.fromString(agent, await readFile('state.json', 'utf8'));
      for (const interruption of state.getInterruptions()) state.approve(interruption);
      await run(agent, state);
      // An interruption has the arguments of the call: the tool has not run yet.
      return await check(undefined);
    });
}
