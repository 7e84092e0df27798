export { isOpen, type WeeklyHours, toWeeklyHours } from './week.ts';
