import { describeError, integer, number } from '../../core/error/index.ts';
import { copyUntrustedJson, isSchemaObject, type JsonObject } from '../../core/schema/index.ts';
import type { HostedTool, HostedToolOutput } from '../../core/tool/index.ts';
import {
  type ConfigCheck,
  type HostedToolOptions,
  line,
  listOf,
  makeHostedTool,
  objectOf,
  refuseConfig,
  refuseValue,
} from './config-check.ts';

/** Where files are searched. What is left out is up to the provider. */
export type FileSearchConfig = {
  /** The provider's names of the stores; at least one. */
  readonly storeIds: readonly string[];
  /** 1 to 50. */
  readonly maxResults?: number;
  /** The least score that a result must have: 0 to 1. */
  readonly scoreThreshold?: number;
  /** Which files are searched, as the provider writes filters: passed on unchanged. */
  readonly filter?: JsonObject;
};

/** A passage of a file. */
export interface FileSearchHit {
  readonly fileId: string;
  readonly filename: string;
  /** 0 to 1; absent where the provider does not say. */
  readonly score?: number;
  readonly text?: string;
}

/** One search through the stores. */
export interface FileSearchResult extends HostedToolOutput {
  readonly queries: readonly string[];
  /** Best first. */
  readonly results: readonly FileSearchHit[];
}

const maxFilterValues = 10_000;

const filter: ConfigCheck<JsonObject> = (value, place) => {
  if (!isSchemaObject(value)) throw refuseValue(place, 'an object as the provider defines it', value);
  try {
    // A copy of an object is an object.
    return copyUntrustedJson(value, 'the filter', maxFilterValues) as JsonObject;
  } catch (cause) {
    throw refuseConfig(place, `cannot be sent: ${describeError(cause)}`, { cause });
  }
};

const config = objectOf<FileSearchConfig>(
  {
    storeIds: listOf(line, 'name at least one store'),
    maxResults: integer({ min: 1, max: 50 }),
    scoreThreshold: number({ min: 0, max: 1 }),
    filter,
  },
  ['storeIds'],
);

const defaults = {
  kind: 'file_search',
  description: 'Search through stored files for relevant passages and cite them.',
};

/**
 * A hosted tool of the kind `file_search`: the provider searches files that were stored with it.
 *
 * @throws {PromptValidationError} for a config, name or description that cannot be used.
 */
export function fileSearchTool(
  options: HostedToolOptions<FileSearchConfig>,
): HostedTool<FileSearchConfig, FileSearchResult> {
  return makeHostedTool('fileSearchTool()', defaults, config, options);
}
