import { SandboxError } from '../../core/error/index.ts';
import type { AnyAgent } from '../../core/evaluation/index.ts';
import { isRecord } from '../../core/internal/index.ts';
import type { SandboxBackend } from '../../host/sandbox/index.ts';
import type { LoadedAgent } from '../agent/load-agent.ts';
import type { CliEnvironment } from '../process/environment.ts';
import { reasonOf } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { isSet, keyVariables } from './check-keys.ts';
import type { Finding } from './finding.ts';

/** What an agent needs. */
export interface AgentNeeds {
  /** Names of packages. */
  readonly packages: ReadonlySet<string>;
  readonly findings: readonly Finding[];
}

/** Packages that adapters load with the first request, by the beginning of the adapter's name. */
const adapterPackages: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: '@anthropic-ai/sdk',
  'claude-agent': '@anthropic-ai/claude-agent-sdk',
  acp: '@agentclientprotocol/sdk',
};
const sandboxPackages: Readonly<Record<string, string>> = { virtual: 'just-bash' };

/** Finds what an agent needs that was loaded: package and key of its model, its sandbox. */
export async function checkAgent(
  { agent }: Pick<LoadedAgent, 'agent'>,
  { signal, variables }: Pick<CliEnvironment, 'signal' | 'variables'>,
): Promise<AgentNeeds> {
  const name = printable(agent.name);
  const loaded: Finding = { status: 'ok', subject: `agent ${name}`, about: 'loaded' };
  const model = modelFinding(agent);
  const key = keyFinding(agent, variables);
  const sandbox = await sandboxOf(agent, signal);
  const adapter = adapterName(agent);
  const packages = [adapterPackages[adapter?.split(/[:/]/)[0] ?? ''], sandboxPackages[sandbox?.name ?? '']];
  return {
    packages: new Set(packages.filter((each) => each !== undefined)),
    findings: [
      loaded,
      model,
      ...(key === undefined ? [] : [key]),
      ...(sandbox === undefined ? [] : [sandbox.finding]),
    ],
  };
}

/** The name of an agent's adapter; undefined without one, and for one that is made for a run. */
function adapterName({ adapter }: AnyAgent): string | undefined {
  return isRecord(adapter) && typeof adapter['name'] === 'string' ? adapter['name'] : undefined;
}

function modelFinding(agent: AnyAgent): Finding {
  const subject = 'its model';
  if (agent.adapter === undefined)
    return { status: 'warning', subject, about: 'it has none', repair: 'wink run ... --model openai:NAME' };
  const name = adapterName(agent);
  return { status: 'ok', subject, about: name === undefined ? 'made for each run' : printable(name) };
}

function keyFinding(agent: AnyAgent, variables: CliEnvironment['variables']): Finding | undefined {
  const vendor = adapterName(agent)?.split(/[:/]/)[0];
  if (vendor !== 'openai' && vendor !== 'anthropic') return undefined;
  const names = keyVariables[vendor];
  const set = names.find((name) => isSet(variables, name));
  const subject = 'key of its model';
  if (set !== undefined) return { status: 'ok', subject, about: `${set} is set` };
  // An adapter may have got its key in the code.
  return {
    status: 'missing',
    subject,
    about: `${names.join(' or ')}, unless its code has one`,
    repair: `export ${names[0]}=...`,
    isNeeded: true,
  };
}

/** The sandbox of an agent, tried. @returns undefined: it has none, or one that is made for a run. */
async function sandboxOf(
  agent: AnyAgent,
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly finding: Finding } | undefined> {
  const { SandboxBackend: token } = await import('../../host/sandbox/index.ts');
  const bindings = agent.template.bind().resources();
  const source = bindings.get(token)?.source;
  const backend = source?.kind === 'instance' ? source.value : undefined;
  if (!isBackend(backend)) return undefined;
  const { name } = backend;
  const subject = `sandbox ${printable(name)}`;
  try {
    await (await backend.prepare({ signal }))[Symbol.asyncDispose]();
    return { name, finding: { status: 'ok', subject, about: 'a command was started' } };
  } catch (error) {
    signal.throwIfAborted();
    const missing = { status: 'missing' as const, subject, isNeeded: true };
    const image = SandboxError.isInstance(error) ? error.details['image'] : undefined;
    return typeof image === 'string'
      ? { name, finding: { ...missing, about: 'its image is missing', repair: `podman pull ${image}` } }
      : { name, finding: { ...missing, about: reasonOf(error) } };
  }
}

function isBackend(value: unknown): value is Pick<SandboxBackend, 'name' | 'prepare'> {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['prepare'] === 'function';
}
