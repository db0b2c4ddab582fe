/** Names of the planning tools, in the order in which a prompt lists them. */
export const PLANNING_TOOL_NAMES = [
  'planning_setup_plan',
  'planning_add_step',
  'planning_update_step',
  'planning_read_plan',
] as const;

/** Name of one planning tool. */
export type PlanningToolName = (typeof PLANNING_TOOL_NAMES)[number];
