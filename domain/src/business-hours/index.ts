export { isOpen, isOpenDuring, toLocalTime, toWeeklyHours, type WeeklyHours } from './week.ts';
