package avoid
