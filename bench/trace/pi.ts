import { Agent } from '@earendil-works/pi-agent-core';
import { createModels, createProvider } from '@earendil-works/pi-ai';
import { openAIResponsesApi } from '@earendil-works/pi-ai/api/openai-responses.lazy';
import { obj, str } from '@earendil-works/pi-schema';
import { piAgent, piModel, piTool } from './pi-tools.ts';
import { runTrace } from './run-trace.ts';
import { instructions } from './script.ts';
import { Project, tools } from './tools.ts';

await runTrace(({ baseURL, apiKey }, files) => {
  const project = new Project(files);
  const model = piModel(baseURL);
  const models = createModels();
  models.setProvider(
    createProvider({
      id: model.provider,
      name: model.provider,
      baseUrl: baseURL,
      auth: { apiKey: { name: model.provider, resolve: async () => ({ auth: { apiKey } }) } },
      models: [model],
      api: openAIResponsesApi(),
    }),
  );
  const agent = new Agent({
    initialState: {
      systemPrompt: instructions,
      model,
      tools: [
        piTool(tools.read, obj({ path: str() }), (input: { path: string }) => project.read(input)),
        piTool(tools.write, obj({ path: str(), text: str() }), (input: { path: string; text: string }) =>
          project.write(input),
        ),
        piTool(tools.search, obj({ folder: str(), text: str() }), (input: { folder: string; text: string }) =>
          project.search(input),
        ),
      ],
    },
    streamFn: models.streamSimple.bind(models),
  });
  return piAgent(project, agent);
});
