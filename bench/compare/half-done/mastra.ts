import { Agent } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { mastraModel } from '../systems/mastra.ts';
import { check, prepare, publishReport, script } from './case.ts';

// The request context (documentation: Request Context) is what the tools of a run share.
const publish = createTool({
  id: 'publish',
  description: 'Publish the report.',
  inputSchema: z.object({}),
  execute: (_input, { requestContext }) =>
    publishReport(diskFiles, () => requestContext?.set('published', ['report.md'])),
});
const agent = new Agent({
  id: 'publisher',
  name: 'publisher',
  instructions: 'Publish.',
  model: mastraModel(script),
  tools: { publish },
});

await cell(async () => {
  await prepare();
  const requestContext = new RequestContext<{ published: string[] }>();
  await agent.generate('Begin.', { requestContext });
  return await check(requestContext.get('published') ?? []);
});
