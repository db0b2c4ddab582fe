import { fileURLToPath } from 'node:url';
import { Agent } from '@mastra/core/agent';
import { MCPClient } from '@mastra/mcp';
import { cell } from '../../harness/cell.ts';
import { currentPart } from '../../harness/part.ts';
import { mastraModel } from '../../systems/mastra.ts';
import { check, scriptOf, serve } from './case.ts';

if (currentPart === 'serve') await serve();
else {
  await cell(async () => {
    const server = { command: process.execPath, args: [fileURLToPath(import.meta.url), 'serve'] };
    const client = new MCPClient({ servers: { search: server } });
    // Tools of a server are SERVER_TOOL (reference: MCPClient, listTools()).
    const script = scriptOf((name) => `search_${name}`);
    const tools = await client.listTools();
    const agent = new Agent({
      id: 'searcher',
      name: 'searcher',
      instructions: 'Search.',
      model: mastraModel(script),
      tools,
    });
    return await check(script, Object.keys(tools), () => agent.generate('Begin.', { maxSteps: 20 }));
  });
}
