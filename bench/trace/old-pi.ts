import { Agent } from '@mariozechner/pi-agent-core';
import { Type } from 'typebox';
import { piAgent, piModel, piTool } from './pi-tools.ts';
import { runTrace } from './run-trace.ts';
import { instructions } from './script.ts';
import { Project, tools } from './tools.ts';

const strict = { additionalProperties: false };
const path = Type.String();
const text = Type.String();

await runTrace(({ baseURL, apiKey }, files) => {
  const project = new Project(files);
  const agent = new Agent({
    initialState: {
      systemPrompt: instructions,
      model: piModel(baseURL),
      tools: [
        piTool(tools.read, Type.Object({ path }, strict), (input: { path: string }) => project.read(input)),
        piTool(tools.write, Type.Object({ path, text }, strict), (input: { path: string; text: string }) =>
          project.write(input),
        ),
        piTool(
          tools.search,
          Type.Object({ folder: path, text }, strict),
          (input: { folder: string; text: string }) => project.search(input),
        ),
      ],
    },
    getApiKey: () => apiKey,
  });
  return piAgent(project, agent);
});
