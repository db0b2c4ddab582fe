import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../harness/program.ts';
import type { Report } from '../harness/row.ts';
import { takeSample } from '../harness/samples.ts';
import { callsBefore, changedFiles, projectFiles } from './script.ts';
import { answerSchema } from './tools.ts';

/** An agent on the project, and what is looked at when it has ended. */
export interface TraceAgent {
  /** The whole conversation. @returns the last text of the model */
  converse(): Promise<string>;
  readonly calls: () => number;
  contentOf(path: string): string | Promise<string>;
}

/** Makes an agent, with the client of its system for the server at this address. */
export type TraceSystem = (
  server: { readonly baseURL: string; readonly apiKey: string; readonly maxTurns: number },
  files: Record<string, string>,
) => TraceAgent;

interface Settings extends Record<string, number | string | undefined> {
  readonly turns: number;
  readonly files: number;
  /** Only as far as the first request, which this server takes. Default: a server by the script, to the end. */
  readonly firstRequestTo?: string;
}

const tiny = { turns: 6, files: 60 };
const apiKey = 'none';

/** The program of a system: `cpu` and `wall` of the conversation in ms, `peakRss` of the process in MiB. The model is another process. */
export async function runTrace(system: TraceSystem): Promise<void> {
  await runProgram<Settings>(async (settings, { effort }) => {
    const { firstRequestTo, turns, files } = settings;
    if (firstRequestTo !== undefined) {
      const server = { baseURL: firstRequestTo, apiKey, maxTurns: turns };
      await system(server, projectFiles(files)).converse();
      throw new Error('The first request has ended the process.');
    }
    return await measure(system, effort === 'tiny' ? tiny : settings);
  });
}

async function measure(
  system: TraceSystem,
  { turns, files }: Pick<Settings, 'turns' | 'files'>,
): Promise<Report> {
  const model = fileURLToPath(new URL('model-server.js', import.meta.url));
  const server = spawn(process.execPath, [model, JSON.stringify({ turns, files })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [port] = (await once(server.stdout, 'data')) as [Buffer];
    const baseURL = `http://127.0.0.1:${port.toString().trim()}/v1`;
    const agent = system({ baseURL, apiKey, maxTurns: turns + 1 }, projectFiles(files));
    let text = '';
    const { cpuMs, wallMs } = await takeSample(async () => {
      text = await agent.converse();
    });
    await check(agent, text, turns, files);
    return {
      samples: { cpu: [cpuMs], wall: [wallMs], peakRss: [process.resourceUsage().maxRSS / 1024] },
    };
  } finally {
    server.kill();
  }
}

async function check(agent: TraceAgent, text: string, turns: number, files: number): Promise<void> {
  answerSchema.parse(JSON.parse(text));
  const wanted = callsBefore(turns);
  if (agent.calls() !== wanted) throw new Error(`The tools ran ${agent.calls()} times for ${wanted} calls.`);
  for (const [path, content] of Object.entries(changedFiles(turns, files))) {
    if ((await agent.contentOf(path)) !== content)
      throw new Error(`${path} is not as the last turn left it.`);
  }
}
