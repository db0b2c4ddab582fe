import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';
import type { AiSdkModel } from '../../ai-sdk/index.ts';
import { describeError, MissingPeerError } from '../../error/index.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/** Which model of which package. */
export interface PackageModel {
  readonly package: string;
  readonly model: string;
  /** Folder of the agent's module. */
  readonly agentFolder: string;
}

/** What a provider package exports, such as `google`. */
interface ModelSource {
  languageModel(model: string): unknown;
}

/** Where this command is installed. */
const ownFolder = dirname(fileURLToPath(import.meta.url));

/**
 * A model of a provider package of the AI SDK. The package is looked for where the agent's module would find it, then where this command
 * is installed; never in the folder that is worked on, which may be anybody's.
 *
 * @throws {MissingPeerError} when there is no such package.
 * @throws {UsageError} when it cannot be loaded, or exports no provider.
 */
export async function loadPackageModel(wanted: PackageModel): Promise<AiSdkModel> {
  const { package: name, model, agentFolder } = wanted;
  const address = [agentFolder, ownFolder]
    .map((folder) => (folder === undefined ? undefined : addressOf(name, folder)))
    .find((found) => found !== undefined);
  if (address === undefined) {
    throw new MissingPeerError(
      `The package "${name}" is not installed where the agent or this command would find it. Install it with "npm install ${name}".`,
      { details: { package: name } },
    );
  }
  try {
    const source = sourceIn(await import(address), name);
    // The adapter looks at what it is given.
    return source.languageModel(model) as AiSdkModel;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `the model of the package "${name}" cannot be made: ${printable(describeError(error)).replace(/\.$/, '')}.`,
      { cause: error },
    );
  }
}

function addressOf(name: string, folder: string): string | undefined {
  return createJiti(join(folder, 'agent.js'), { fsCache: false }).esmResolve(name, { try: true });
}

function sourceIn(exported: unknown, name: string): ModelSource {
  const entries = Object.entries(typeof exported === 'object' && exported !== null ? exported : {});
  const found = entries.filter((entry): entry is [string, ModelSource] => isModelSource(entry[1]));
  const [first, ...others] = new Set(found.map(([, source]) => source));
  if (first === undefined) {
    throw new UsageError(`the package "${name}" exports no provider of the AI SDK.`);
  }
  if (others.length === 0) return first;
  const names = found.map(([key]) => printable(key)).join(', ');
  throw new UsageError(
    `the package "${name}" exports several providers (${names}): write an agent whose model is aiSdk({ model }).`,
  );
}

function isModelSource(value: unknown): value is ModelSource {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    'languageModel' in value &&
    typeof value.languageModel === 'function'
  );
}
