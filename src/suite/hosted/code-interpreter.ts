import { oneOf } from '../../core/error/index.ts';
import type { HostedTool, HostedToolOutput } from '../../core/tool/index.ts';
import {
  type ConfigCheck,
  type HostedToolOptions,
  line,
  listOf,
  makeHostedTool,
  objectOf,
  refuseValue,
} from './config-check.ts';
import { domain } from './domain-filter.ts';

/** Where the code runs. What is left out is up to the provider. */
export type CodeInterpreterConfig = {
  /** A container of the provider that exists already. Default: one is made. */
  readonly containerId?: string;
  /** Files at the provider that the code finds in its container. */
  readonly fileIds?: readonly string[];
  readonly memoryLimit?: '1g' | '4g' | '16g' | '64g';
  /** What the code can reach on the network. */
  readonly network?: 'disabled' | CodeInterpreterNetwork;
};

/** Domains that code may reach, written as in a `DomainFilter`. */
export type CodeInterpreterNetwork = { readonly allowedDomains: readonly string[] };

/** A file that code made. */
export interface CodeInterpreterFile {
  /** The provider's name for it. */
  readonly fileId?: string;
  readonly url?: string;
  readonly filename?: string;
}

/** One run of code. A provider that does not separate the two streams gives both as `stdout`. */
export interface CodeInterpreterResult extends HostedToolOutput {
  readonly code?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  readonly containerId?: string;
  readonly files: readonly CodeInterpreterFile[];
}

const networkAccess = objectOf<CodeInterpreterNetwork>(
  { allowedDomains: listOf(domain, 'write network: "disabled" to allow none') },
  ['allowedDomains'],
);

const network: ConfigCheck<'disabled' | CodeInterpreterNetwork> = (value, place) => {
  if (value === 'disabled') return value;
  if (typeof value === 'object') return networkAccess(value, place);
  throw refuseValue(place, '"disabled" or an object with allowedDomains', value);
};

const config = objectOf<CodeInterpreterConfig>({
  containerId: line,
  fileIds: listOf(line, 'leave it out for no files'),
  memoryLimit: oneOf(['1g', '4g', '16g', '64g']),
  network,
});

const defaults = {
  kind: 'code_interpreter',
  description: 'Run code in a sandbox at the provider.',
};

/**
 * A hosted tool of the kind `code_interpreter`: the model writes code that the provider runs in a container of its own.
 * It sees no files of a workspace, and nothing it does is rolled back.
 *
 * @throws {PromptValidationError} for a config, name or description that cannot be used.
 */
export function codeInterpreterTool(
  options: Partial<HostedToolOptions<CodeInterpreterConfig>> = {},
): HostedTool<CodeInterpreterConfig, CodeInterpreterResult> {
  return makeHostedTool('codeInterpreterTool()', defaults, config, options);
}
