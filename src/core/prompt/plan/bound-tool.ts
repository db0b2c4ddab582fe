import { once } from '../../internal/index.ts';
import { type PolicyPhases, type ToolPolicy, toPolicyPhases } from '../../policy/index.ts';
import { type AnyTool, type ModelTool, toModelTool } from '../../tool/index.ts';
import { describeTool, type ToolDescriptor } from './descriptors.ts';
import { toolExamplesText } from './tool-examples.ts';
import { describeParams, type ParamDescriptions } from './tool-param-descriptions.ts';

/** A tool with its place in the prompt and the policies that govern it. */
export interface BoundTool {
  readonly tool: AnyTool;
  /** Dotted path of the section that provides it; empty for a tool that opens or reads sections. */
  readonly sectionPath: string;
  /** Policies in the order they are asked: the section's, its ancestors' from the inside out, the prompt's. */
  readonly policies: readonly ToolPolicy[];
  /** Policies of other sections whose `dependencies` need the tool: they do not judge its calls, but record its successes. */
  readonly recordingPolicies: readonly ToolPolicy[];
  /** @internal */
  readonly '~planned': PlannedTool;
}

/** A policy of the prompt that the tool belongs to. */
interface OwnPolicy {
  readonly policy: ToolPolicy;
  readonly owner: undefined;
}

/** Derived from a tool and its place, once for all evaluations; text is made when it is first needed. */
export interface PlannedTool {
  readonly modelTool: ModelTool;
  readonly policyPhases: PolicyPhases<OwnPolicy>;
  readonly descriptor: ToolDescriptor;
  /** Its examples for a model that has no field for them; empty when there are none. */
  readonly examplesText: string;
  readonly paramDescriptions: ParamDescriptions;
}

/** Binds a tool. */
export function toBoundTool(parts: Omit<BoundTool, '~planned'>): BoundTool {
  const { tool, sectionPath, policies, recordingPolicies } = parts;
  const asOwn = (policy: ToolPolicy): OwnPolicy => ({ policy, owner: undefined });
  const descriptor = once(() => describeTool(tool, sectionPath));
  const examplesText = once(() => toolExamplesText(tool));
  const paramDescriptions = once(() => describeParams(tool));
  return Object.freeze({
    tool,
    sectionPath,
    policies,
    recordingPolicies,
    '~planned': Object.freeze({
      modelTool: toModelTool(tool),
      policyPhases: toPolicyPhases(policies.map(asOwn), recordingPolicies.map(asOwn)),
      get descriptor() {
        return descriptor();
      },
      get examplesText() {
        return examplesText();
      },
      get paramDescriptions() {
        return paramDescriptions();
      },
    }),
  });
}
