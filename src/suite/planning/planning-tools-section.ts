import { assertOptions, type OptionsOf, PromptValidationError } from '../../core/error/index.ts';
import type { ToolPolicy } from '../../core/policy/index.ts';
import { type Section, section, type VisibilitySelector } from '../../core/prompt/index.ts';
import { CurrentPlan } from './current-plan.ts';
import { PlanningStrategy, planningInstructions, planningSummary } from './instructions.ts';
import {
  createPlanningTools,
  type PlanningToolName,
  planningToolNames,
  planningTools,
} from './planning-tools.ts';

/** Params that a section without params of its own needs: none. */
type NoSectionParams = Record<never, never>;

/** Options of {@link planningToolsSection}. */
export interface PlanningToolsSectionOptions {
  /** Default `Planning Tools`. */
  readonly title?: string;
  /** Default `planning`. */
  readonly key?: string;
  /** The advice the model gets on using its plan. Default {@link PlanningStrategy}`.react`. */
  readonly strategy?: PlanningStrategy;
  /** The tools to offer, all four by default. Leave out `planning_setup_plan` where you set up the plan yourself. */
  readonly tools?: readonly PlanningToolName[];
  /** Rules for these tools. Default: none. */
  readonly policies?: readonly ToolPolicy[];
  /** Whether overrides may replace the text of the section and of its tools. Default false. */
  readonly acceptsOverrides?: boolean;
  /** How much of the section the model sees. Default `'full'`. A summary is provided. */
  readonly visibility?: VisibilitySelector<NoSectionParams>;
}

const planningChecks: OptionsOf<PlanningToolsSectionOptions> = {
  title: 'string',
  key: 'string',
  strategy: 'string',
  tools: 'array',
  policies: 'array',
  acceptsOverrides: 'boolean',
  visibility: 'any',
};

/**
 * A section that gives the model a plan to work by: instructions, the tools `planning_setup_plan`, `planning_add_step`,
 * `planning_update_step` and `planning_read_plan`, and the slice `CurrentPlan` that they change. It holds no state: the
 * plan belongs to the session and outlives the evaluation with it.
 *
 * A planning call is a transaction like any other; several in one turn come out as if made one after the other.
 *
 * @throws {PromptValidationError} for an unknown strategy, an unknown or doubled tool name, or no tool at all.
 * @see docs/spec/planning.md §1
 */
export function planningToolsSection(options: PlanningToolsSectionOptions = {}): Section<NoSectionParams> {
  assertOptions('planningToolsSection()', options, planningChecks);
  const {
    title = 'Planning Tools',
    key = 'planning',
    strategy = PlanningStrategy.react,
    policies = [],
    acceptsOverrides = false,
    visibility = 'full',
  } = options;
  assertStrategy(strategy);
  const names = selectTools(options.tools);
  const tools = acceptsOverrides ? createPlanningTools({ acceptsOverrides }) : planningTools;
  const instructions = planningInstructions({ tools: names, strategy });
  const summary = planningSummary({ tools: names });
  return section({
    title,
    key,
    template: () => instructions,
    summary: () => summary,
    visibility,
    acceptsOverrides,
    tools: names.map((name) => tools[name]),
    policies,
    slices: [CurrentPlan],
  });
}

function assertStrategy(strategy: PlanningStrategy): void {
  const strategies: readonly string[] = Object.values(PlanningStrategy);
  if (!strategies.includes(strategy)) {
    throw new PromptValidationError(
      `There is no planning strategy "${strategy}". Strategies are: ${strategies.join(', ')}.`,
      { details: { placeholder: 'strategy' } },
    );
  }
}

/** The names of the tools to offer, in the order of {@link planningToolNames}. */
function selectTools(tools: readonly PlanningToolName[] = planningToolNames): readonly PlanningToolName[] {
  for (const name of tools) {
    if (!planningToolNames.includes(name)) {
      throw refuse(
        `There is no planning tool "${name}". Planning tools are: ${planningToolNames.join(', ')}.`,
      );
    }
  }
  if (tools.length === 0) {
    throw refuse('The list of planning tools is empty. Name at least one, or leave it out for all.');
  }
  if (new Set(tools).size < tools.length) {
    throw refuse(`The list of planning tools names one twice: ${tools.join(', ')}.`);
  }
  return planningToolNames.filter((name) => tools.includes(name));
}

function refuse(message: string): PromptValidationError {
  return new PromptValidationError(message, { details: { placeholder: 'tools' } });
}
