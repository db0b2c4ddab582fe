import { none, startOf } from '../../../core/internal/index.ts';
import type { ModelRequest, ModelTool } from '../../../core/runtime/index.ts';
import type { JsonObject } from '../../../core/schema/index.ts';
import type { ProviderTool } from '../../../core/tool/index.ts';
import type { ProjectedTool } from '../schema/tool-schemas.ts';

/** The kind of the search that opens sections. */
export const toolSearchKind = 'openai.tool_search';

/** Name of the tool that opens sections. */
const opener = 'open_sections';

const made = new WeakMap<ModelTool, ProviderTool>();

/** A request whose model opens sections by a search that runs here, in the place of the tool for it; the same where there is nothing to open. */
export function withToolSearch<Request extends Pick<ModelRequest, 'tools' | 'providerTools'>>(
  request: Request,
): Request {
  const tool = request.tools.find(({ name }) => name === opener);
  if (tool === undefined) return request;
  return { ...request, providerTools: [...(request.providerTools ?? none), searchFor(tool)] };
}

function searchFor(tool: ModelTool): ProviderTool {
  const known = made.get(tool);
  if (known !== undefined) return known;
  const search: ProviderTool = {
    type: 'provider-tool',
    kind: toolSearchKind,
    config: {
      description: `What the instructions call ${opener} is a search with this tool. ${tool.description}`,
      parameters: tool.inputSchema,
    },
    uses: [opener],
    replaces: [opener],
  };
  made.set(tool, search);
  return search;
}

/** What a search has found, as it is sent: the tools of each section together. */
export interface ToolNamespace {
  readonly type: 'namespace';
  readonly name: string;
  readonly description: string;
  readonly tools: readonly JsonObject[];
}

/**
 * The tools that a search has brought, by the sections that they are of.
 *
 * @param names of the tools.
 * @param toWire a tool in the provider's format.
 */
export function namespacesOf(
  names: readonly string[],
  { deferredSections = none }: Pick<ModelRequest, 'deferredSections'>,
  tools: readonly ProjectedTool[],
  toWire: (tool: ProjectedTool) => JsonObject,
): readonly ToolNamespace[] {
  return deferredSections.flatMap(({ path, title, tools: ofSection }): readonly ToolNamespace[] => {
    const found = tools.filter(({ tool }) => ofSection.includes(tool.name) && names.includes(tool.name));
    if (found.length === 0) return none;
    return [
      {
        type: 'namespace',
        name: startOf(path.replaceAll(/[^a-zA-Z0-9_-]/g, '_'), 64),
        description: title,
        tools: found.map((each) => ({ ...toWire(each), defer_loading: true })),
      },
    ];
  });
}
