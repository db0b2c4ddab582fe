export { type SharedBudgetOptions, sharedBudget } from './shared-budget.ts';
