#pragma once
#define GDE_EXPORT
