import { MissingPeerError } from '../../core/error/index.ts';
import type { AiSdkModel } from '../../providers/ai-sdk/index.ts';
import { orUsageError, reasonOf, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { packageAddress } from './package-address.ts';

/** A model of a package. */
export interface PackageModel {
  readonly package: string;
  readonly model: string;
  /** Directory of the agent's module. */
  readonly agentFolder: string;
}

/** An export of a provider package, such as `google`. */
interface ModelSource {
  languageModel(model: string): unknown;
}

/**
 * A model of a provider package of the AI SDK. The package is resolved from the agent's module, then from the installation
 * of this command; never from the workspace, which may be untrusted.
 *
 * @throws {MissingPeerError} when the package is not installed.
 * @throws {UsageError} when it cannot be loaded, or exports no provider.
 */
export async function loadPackageModel(wanted: PackageModel): Promise<AiSdkModel> {
  const { package: name, model, agentFolder } = wanted;
  const address = packageAddress(name, agentFolder);
  if (address === undefined) {
    throw new MissingPeerError(
      `The package "${name}" is not installed where the agent or this command would find it. Install it with "npm install ${name}".`,
      { details: { package: name } },
    );
  }
  const wordsOf = (error: unknown): string =>
    `the model of the package "${name}" cannot be created: ${reasonOf(error)}.`;
  const source = sourceIn(await orUsageError(() => import(address), wordsOf), name);
  // The adapter validates what it is given.
  return orUsageError(() => source.languageModel(model) as AiSdkModel, wordsOf);
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
    `the package "${name}" exports several providers (${names}): write an agent whose adapter is aiSdk({ model }).`,
  );
}

function isModelSource(value: unknown): value is ModelSource {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    'languageModel' in value &&
    typeof value.languageModel === 'function'
  );
}
