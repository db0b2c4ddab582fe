export type { AddStepParams, AddStepResult } from './add-step.ts';
export { CurrentPlan } from './current-plan.ts';
export { formatPlan, formatPlanStep } from './format-plan.ts';
export { PlanningStrategy } from './instructions.ts';
export type { Plan, PlanStatus, PlanStep, PlanStepStatus } from './plan.ts';
export { type PlanCompletionOptions, planCompletion } from './plan-completion.ts';
export {
  AddStep,
  type AddStepPayload,
  SetupPlan,
  type SetupPlanPayload,
  UpdateStep,
  type UpdateStepPayload,
} from './plan-events.ts';
export {
  createPlanningTools,
  type PlanningToolName,
  type PlanningTools,
  planningToolNames,
  planningTools,
} from './planning-tools.ts';
export { type PlanningToolsSectionOptions, planningToolsSection } from './planning-tools-section.ts';
export type { ReadPlan } from './read-plan.ts';
export type { SetupPlanParams } from './setup-plan.ts';
export type { UpdateStepParams, UpdateStepResult } from './update-step.ts';
