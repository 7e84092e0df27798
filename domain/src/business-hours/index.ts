export { isOpen, toLocalTime, toWeeklyHours, type WeeklyHours } from './week.ts';
