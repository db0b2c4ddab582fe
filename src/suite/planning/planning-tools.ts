import { lazyObject } from '../../core/internal/index.ts';
import type { Tool } from '../../core/tool/index.ts';
import { type AddStepParams, type AddStepResult, createAddStepTool } from './add-step.ts';
import type { Plan } from './plan.ts';
import { createReadPlanTool, type ReadPlan } from './read-plan.ts';
import { createSetupPlanTool, type SetupPlanParams } from './setup-plan.ts';
import { createUpdateStepTool, type UpdateStepParams, type UpdateStepResult } from './update-step.ts';

/** Names of the planning tools, in the order in which a prompt lists them. */
export const planningToolNames = [
  'planning_setup_plan',
  'planning_add_step',
  'planning_update_step',
  'planning_read_plan',
] as const;

/** Name of one planning tool. */
export type PlanningToolName = (typeof planningToolNames)[number];

/**
 * The four planning tools by name. They work on the slice `CurrentPlan` of the session, which a section that offers them has
 * to name among its `slices`, and hold nothing themselves.
 */
export interface PlanningTools {
  /** Starts a plan, in place of the one there was. Effects `'state'`. */
  readonly planning_setup_plan: Tool<SetupPlanParams, Plan, SetupPlanParams>;
  /** Appends steps to the plan. Effects `'state'`. */
  readonly planning_add_step: Tool<AddStepParams, AddStepResult, AddStepParams>;
  /** Changes title or status of one step. Effects `'state'`. */
  readonly planning_update_step: Tool<UpdateStepParams, UpdateStepResult, UpdateStepParams>;
  /** Shows the plan. Effects `'read'`. */
  readonly planning_read_plan: Tool<ReadPlan, Plan, ReadPlan>;
}

/** Makes the planning tools. For a section of your own; `planningToolsSection` calls it for you. */
export function createPlanningTools({
  acceptsOverrides = false,
}: {
  /** Whether overrides may replace the text of the tools. Default false. */
  readonly acceptsOverrides?: boolean;
} = {}): PlanningTools {
  return Object.freeze({
    planning_setup_plan: createSetupPlanTool(acceptsOverrides),
    planning_add_step: createAddStepTool(acceptsOverrides),
    planning_update_step: createUpdateStepTool(acceptsOverrides),
    planning_read_plan: createReadPlanTool(acceptsOverrides),
  });
}

/**
 * The planning tools with fixed text: the same objects that `planningToolsSection` offers unless it accepts overrides, so
 * that `planningTools.planning_update_step.succeeded` is the event to reduce.
 */
export const planningTools: PlanningTools = /* @__PURE__ */ lazyObject(
  planningToolNames,
  createPlanningTools,
);
